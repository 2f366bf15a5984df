package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.ShardList.Shard;
import java.time.Duration;
import java.util.Optional;

/**
 * Folds retired shards into one that is in use. Each deletion holds only if the shard is as it was
 * read, so the batch is carried out at most once, and never takes an increment with it. Safe for
 * use by many threads.
 */
final class Compaction {
  private final CounterDocuments documents;

  Compaction(CounterDocuments documents) {
    this.documents = documents;
  }

  ApiFuture<Integer> run(Duration unwritten) {
    return Attempts.onShards(
        documents, (head, list) -> fold(head, Fold.of(list, head.shards(), unwritten)));
  }

  private ApiFuture<Optional<Integer>> fold(CounterHead head, Fold fold) {
    if (fold.shards().isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(fold.left()));
    }
    WriteBatch batch = documents.batch();
    // Else a shard that a resize has just put in use again could be deleted.
    head.keep(batch, documents.document());
    for (Shard shard : fold.shards()) {
      batch.delete(documents.shard(shard), shard.asRead());
    }
    Number count = fold.total().number();
    if (count.doubleValue() != 0) {
      documents.incrementOrCreate(batch, documents.randomShard(head.shards()), count);
    }
    return Steps.then(Attempts.commit(batch), written -> written.map(results -> fold.left()));
  }
}
