package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.ShardList.Shard;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Subtracts from each shard what was read there, so that increments that come meanwhile stay.
 *
 * <p>A subtraction that is made twice counts below 0. So the batch changes the counter's document,
 * and holds only if that is as it was before the shards were read: a batch that is sent again, and
 * a second reset at the same time, are refused. It also leaves its name, as named increments do: so
 * one that is refused knows whether that is because it was carried out before, whatever other
 * resets have come since. Stateless.
 */
final class Reset {
  static final String RESET_ID = "reset_id";

  private Reset() {}

  /** Completes with what was taken off. */
  static ApiFuture<Total> run(CounterDocuments documents) {
    return ShardList.attempt(documents, (head, list) -> subtract(documents, head, list.shards()));
  }

  private static ApiFuture<Optional<Total>> subtract(
      CounterDocuments documents, CounterHead head, List<Shard> shards) {
    Total total = Total.add(shards.stream().map(Shard::count).toList());
    List<Shard> counted = shards.stream().filter(shard -> !isZero(shard.count())).toList();
    if (counted.isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(total));
    }
    String id = "reset-" + UUID.randomUUID();
    WriteBatch batch = documents.batch();
    head.change(batch, documents.document(), RESET_ID, id);
    documents.createName(batch, id);
    counted.forEach(shard -> subtract(documents, batch, shard));
    // Refused may mean that it was carried out, and its reply lost, and then sent again.
    return Steps.thenCall(
        Steps.commit(batch),
        written ->
            Steps.then(
                written.isPresent() ? ApiFutures.immediateFuture(true) : documents.hasName(id),
                done -> done ? Optional.of(total) : Optional.<Total>empty()));
  }

  private static void subtract(CounterDocuments documents, WriteBatch batch, Shard shard) {
    if (shard.count() instanceof Long whole && whole != Long.MIN_VALUE) {
      documents.increment(batch, documents.shard(shard), -whole);
    } else if (shard.count() instanceof Double fraction && Double.isFinite(fraction)) {
      documents.increment(batch, documents.shard(shard), -fraction);
    } else {
      // It cannot be subtracted; and nothing must have been counted on it since.
      batch.update(documents.shard(shard), shard.asRead(), documents.countField(), 0L);
    }
  }

  /** Nothing to take off; nor is a document without the field a shard. */
  private static boolean isZero(@Nullable Object count) {
    return count == null || (count instanceof Number number && number.doubleValue() == 0);
  }
}
