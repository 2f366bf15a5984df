package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.ShardList.Shard;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Subtracts from each shard what was read there, so that increments that come meanwhile stay.
 *
 * <p>A batch that is carried out twice would subtract twice. So it expects the version that the
 * counter's document had before the shards were read, and changes it: Firestore refuses a batch
 * that is sent again, and a second reset at the same time. The batch also creates a name, as named
 * increments do: if the batch is refused, the name tells whether it was carried out before.
 * Stateless.
 */
final class Reset {
  static final String RESET_ID = "reset_id";

  private Reset() {}

  /** Completes with what was taken off. */
  static ApiFuture<Total> run(CounterDocuments documents) {
    AtomicInteger attempts = new AtomicInteger();
    return ShardList.attempt(
        documents,
        (head, list) ->
            subtract(
                documents,
                head,
                list.shards(),
                /* isLast= */ attempts.incrementAndGet() == Steps.MOST_ATTEMPTS));
  }

  private static ApiFuture<Optional<Total>> subtract(
      CounterDocuments documents, CounterHead head, List<Shard> shards, boolean isLast) {
    Total total = Total.add(shards.stream().map(Shard::count).toList());
    List<Shard> counted = shards.stream().filter(shard -> !isZero(shard.count())).toList();
    if (counted.isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(total));
    }
    String id = "reset-" + documents.newName();
    WriteBatch batch = documents.batch();
    head.change(batch, documents.document(), RESET_ID, id);
    documents.createName(batch, id);
    counted.forEach(shard -> subtract(documents, batch, shard, isLast));
    // A refused batch may have been carried out: its reply was lost, and the client sent it again.
    return Steps.thenCall(
        Steps.commit(batch),
        written ->
            Steps.then(
                written.isPresent() ? ApiFutures.immediateFuture(true) : documents.hasName(id),
                done -> done ? Optional.of(total) : Optional.<Total>empty()));
  }

  private static void subtract(
      CounterDocuments documents, WriteBatch batch, Shard shard, boolean isLast) {
    if (shard.count() instanceof Long whole && whole != Long.MIN_VALUE) {
      documents.increment(batch, documents.shard(shard), -whole);
    } else if (isLast && shard.count() instanceof Double fraction && Double.isFinite(fraction)) {
      // It is written all the time, so it stays a double.
      documents.increment(batch, documents.shard(shard), -fraction);
    } else {
      // Nothing that is subtracted makes it an integer, so it is replaced if its version is still
      // the same.
      batch.update(documents.shard(shard), shard.asRead(), documents.countField(), 0L);
    }
  }

  /** There is nothing to subtract; a document without the field is no shard. */
  private static boolean isZero(@Nullable Object count) {
    return count == null || count.equals(0L);
  }
}
