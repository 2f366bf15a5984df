package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.WriteBatch;

/**
 * Deletes a counter, page by page. The counter's document goes with the first page of shards: from
 * then on no increment creates a shard, so an empty page is the last. Names go after the shards:
 * without a shard, no name is created either. Safe for use by many threads.
 */
final class Deletion {
  static final int PAGE = 500;

  /** Five million shards or names, by when others must be writing as fast as this deletes. */
  static final int MOST_PAGES = 10_000;

  private final CounterDocuments documents;

  Deletion(CounterDocuments documents) {
    this.documents = documents;
  }

  ApiFuture<Void> run() {
    WriteBatch first = documents.batch().delete(documents.document());
    ApiFuture<Void> shards = delete(page(documents.shards()), first, MOST_PAGES);
    return Steps.thenCall(
        shards, done -> delete(page(documents.increments()), documents.batch(), MOST_PAGES));
  }

  private static Query page(Query all) {
    return all.select(FieldPath.documentId()).limit(PAGE);
  }

  private ApiFuture<Void> delete(Query page, WriteBatch batch, int left) {
    if (left == 0) {
      return ApiFutures.immediateFailedFuture(
          new CounterBusyException(
              documents.counter(), "at most " + MOST_PAGES * PAGE + " documents to delete"));
    }
    return Steps.thenCall(page.get(), answer -> delete(page, batch, answer, left));
  }

  private ApiFuture<Void> delete(Query page, WriteBatch batch, QuerySnapshot found, int left) {
    for (QueryDocumentSnapshot document : found.getDocuments()) {
      batch.delete(document.getReference());
    }
    if (batch.getMutationsSize() == 0) {
      return ApiFutures.immediateFuture(null);
    }
    return Steps.thenCall(batch.commit(), written -> delete(page, documents.batch(), left - 1));
  }
}
