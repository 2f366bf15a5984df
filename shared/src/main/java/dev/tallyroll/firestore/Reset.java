package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.ShardList.Shard;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Subtracts from each shard what was read there, so that increments that come meanwhile stay. The
 * batch carries a name, since a subtraction that is repeated would count below 0. Safe for use by
 * many threads.
 */
final class Reset {
  private final CounterDocuments documents;
  private final IncrementNames names;

  Reset(CounterDocuments documents, IncrementNames names) {
    this.documents = documents;
    this.names = names;
  }

  ApiFuture<Total> run() {
    return Attempts.run(
        documents.counter(),
        () -> Steps.thenCall(ShardList.read(documents), list -> subtract(list.shards())));
  }

  private ApiFuture<Optional<Total>> subtract(List<Shard> shards) {
    Total total = Addition.of(shards.stream().map(Shard::count).toList());
    if (shards.isEmpty()) {
      // No shards, no names: only the document can tell an empty counter from none.
      return Steps.then(CounterHead.read(documents), head -> Optional.of(total));
    }
    List<Shard> counted = shards.stream().filter(shard -> !isZero(shard.count())).toList();
    if (counted.isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(total));
    }
    String name = "reset-" + UUID.randomUUID();
    WriteBatch batch = documents.batch();
    names.create(batch, name);
    counted.forEach(shard -> subtract(batch, shard));
    return Steps.onFailure(
        Steps.then(batch.commit(), written -> Optional.of(total)),
        failure -> settle(failure, name, total));
  }

  private void subtract(WriteBatch batch, Shard shard) {
    if (shard.count() instanceof Long whole && whole != Long.MIN_VALUE) {
      documents.increment(batch, documents.shard(shard), -whole);
    } else if (shard.count() instanceof Double fraction && Double.isFinite(fraction)) {
      documents.increment(batch, documents.shard(shard), -fraction);
    } else {
      // It cannot be subtracted; and nothing must have been counted on it since.
      batch.update(documents.shard(shard), shard.asRead(), documents.countField(), 0L);
    }
  }

  /**
   * A batch whose reply was lost is sent again, and then refused: the name tells it from others.
   */
  private ApiFuture<Optional<Total>> settle(Throwable failure, String name, Total total) {
    if (Failures.code(failure) == StatusCode.Code.ALREADY_EXISTS) {
      return ApiFutures.immediateFuture(Optional.of(total));
    }
    if (!Attempts.isRefusal(failure)) {
      return ApiFutures.immediateFailedFuture(failure);
    }
    return Steps.then(
        names.isThere(name), done -> done ? Optional.of(total) : Optional.<Total>empty());
  }

  /** Nothing to take off; nor is a document without the field a shard. */
  private static boolean isZero(@Nullable Object count) {
    return count == null || (count instanceof Number number && number.doubleValue() == 0);
  }
}
