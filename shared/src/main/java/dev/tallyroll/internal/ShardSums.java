package dev.tallyroll.internal;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums the shards of a counter, in either mode, as one consistent read outside transactions.
 * Immutable.
 */
public final class ShardSums {
  private final SumMode mode;
  private final FieldPath field;

  public ShardSums(SumMode mode, String countField) {
    this.mode = mode;
    this.field = FieldPath.of(countField);
  }

  public ApiFuture<Sum> sum(CollectionReference shards) {
    return mode == SumMode.AGGREGATE ? aggregate(shards) : documents(shards);
  }

  private ApiFuture<Sum> aggregate(CollectionReference shards) {
    AggregateField sum = AggregateField.sum(field);
    return ApiFutures.transform(
        shards.aggregate(sum, AggregateField.count()).get(),
        answer -> decode(answer, sum),
        Runnable::run);
  }

  private static Sum decode(AggregateQuerySnapshot answer, AggregateField sum) {
    Object total = answer.get(sum);
    return new Sum(
        Total.of(total instanceof Number number ? number : Long.valueOf(0)),
        answer.getCount(),
        Times.instant(answer.getReadTime()));
  }

  private ApiFuture<Sum> documents(CollectionReference shards) {
    return ApiFutures.transform(shards.select(field).get(), this::add, Runnable::run);
  }

  private Sum add(QuerySnapshot answer) {
    List<Object> counts = new ArrayList<>();
    for (QueryDocumentSnapshot shard : answer.getDocuments()) {
      if (shard.contains(field)) {
        counts.add(shard.get(field));
      }
    }
    return new Sum(Total.add(counts), counts.size(), Times.instant(answer.getReadTime()));
  }
}
