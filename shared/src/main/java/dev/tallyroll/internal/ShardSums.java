package dev.tallyroll.internal;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sums the shards of a counter, in either mode, as one consistent read outside transactions. What
 * holds no number, or NaN, in the field is no shard: as Firestore's own average has it.
 *
 * <p>A range leaves such documents out of both figures, in the same snapshot and with the same
 * index. Source: <a href="https://firebase.google.com/docs/firestore/manage-data/data-types">data
 * types</a>, whose order has numbers after NaN, and a range has values of its own type only.
 *
 * <p>Immutable.
 */
public final class ShardSums {
  private final SumMode mode;
  private final Optional<FieldPath> field;

  /**
   * @param counted the field whose numbers are added; empty if documents are counted, which reads
   *     no document in either mode
   */
  public ShardSums(SumMode mode, Optional<FieldName> counted) {
    this.mode = mode;
    this.field = counted.map(FieldName::path);
  }

  public ApiFuture<Sum> sum(Query shards) {
    return field
        .map(path -> mode == SumMode.AGGREGATE ? aggregate(shards, path) : documents(shards, path))
        .orElseGet(() -> number(shards));
  }

  private static ApiFuture<Sum> number(Query documents) {
    return ApiFutures.transform(
        documents.count().get(), answer -> sum(answer.getCount(), answer), Runnable::run);
  }

  private static ApiFuture<Sum> aggregate(Query shards, FieldPath field) {
    AggregateField sum = AggregateField.sum(field);
    Query numbers = shards.whereGreaterThanOrEqualTo(field, Double.NEGATIVE_INFINITY);
    return ApiFutures.transform(
        numbers.aggregate(sum, AggregateField.count()).get(),
        answer -> sum(answer.get(sum) instanceof Number total ? total : Long.valueOf(0), answer),
        Runnable::run);
  }

  private static Sum sum(Number total, AggregateQuerySnapshot answer) {
    return new Sum(Total.of(total), answer.getCount(), Times.instant(answer.getReadTime()));
  }

  private static ApiFuture<Sum> documents(Query shards, FieldPath field) {
    return ApiFutures.transform(
        shards.select(field).get(), answer -> add(answer, field), Runnable::run);
  }

  /** Whether a value of the summed field counts. */
  public static boolean isCounted(@Nullable Object value) {
    return value instanceof Number number && !Double.isNaN(number.doubleValue());
  }

  private static Sum add(QuerySnapshot answer, FieldPath field) {
    List<Object> counts = new ArrayList<>();
    for (QueryDocumentSnapshot shard : answer.getDocuments()) {
      Object value = shard.get(field);
      if (isCounted(value)) {
        counts.add(value);
      }
    }
    return new Sum(Total.add(counts), counts.size(), Times.instant(answer.getReadTime()));
  }
}
