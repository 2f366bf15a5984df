package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteBatch;
import java.util.Optional;

/**
 * Changes the number of shards. New shards come with the number that makes clients use them, so
 * that no client meets one that is missing. Safe for use by many threads.
 */
final class Resize {
  private final CounterDocuments documents;

  Resize(CounterDocuments documents) {
    this.documents = documents;
  }

  /** Completes with the number of shards that there are then. */
  ApiFuture<Integer> run(int wanted) {
    return Attempts.onHead(documents, head -> attempt(head, wanted));
  }

  private ApiFuture<Optional<Integer>> attempt(CounterHead head, int wanted) {
    int present = head.isSound() ? head.shards() : 0;
    if (present == wanted) {
      return ApiFutures.immediateFuture(Optional.of(wanted));
    }
    WriteBatch batch = documents.batch();
    for (int number = present; number < wanted; number++) {
      // Adding nothing creates what is missing, and leaves a retired shard's count as it is.
      documents.incrementOrCreate(batch, documents.shard(number), 0L);
    }
    head.replace(batch, documents.document(), documents.options().shardsField(), wanted);
    return Steps.then(Attempts.commit(batch), written -> written.map(results -> wanted));
  }
}
