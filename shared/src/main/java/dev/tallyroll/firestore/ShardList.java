package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Times;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * All shards of a counter, as they were at one moment. Immutable.
 *
 * @param readTime that moment, in Firestore's time
 */
record ShardList(List<Shard> shards, Instant readTime) {
  /** One batch must write them all, and a request takes 10 MiB. */
  private static final int MOST = Counter.MOST_SHARDS_IN_A_BATCH;

  /**
   * @param count what is in the count field; null if it has none
   * @param version when it was last written
   */
  record Shard(String id, @Nullable Object count, Instant version) {
    Precondition asRead() {
      return Times.version(version);
    }
  }

  /** As {@link CounterHead#attempt}; each attempt also gets all shards, read after the document. */
  static <T> ApiFuture<T> attempt(
      CounterDocuments documents,
      BiFunction<CounterHead, ShardList, ApiFuture<Optional<T>>> attempt) {
    return CounterHead.attempt(
        documents, head -> Steps.thenCall(read(documents), list -> attempt.apply(head, list)));
  }

  /** A read for each shard. */
  private static ApiFuture<ShardList> read(CounterDocuments documents) {
    return Steps.then(
        documents.shards().select(documents.countField()).limit(MOST + 1).get(),
        answer -> decode(documents.counter(), documents.countField(), answer));
  }

  private static ShardList decode(CounterPath counter, FieldPath field, QuerySnapshot answer) {
    if (answer.size() > MOST) {
      throw new CounterException.Damaged(counter, "at most " + MOST + " shards", "more");
    }
    List<Shard> shards =
        answer.getDocuments().stream().map(document -> shard(document, field)).toList();
    return new ShardList(shards, Times.instant(answer.getReadTime()));
  }

  private static Shard shard(QueryDocumentSnapshot document, FieldPath field) {
    return new Shard(
        document.getId(), document.get(field), Times.instant(document.getUpdateTime()));
  }
}
