package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.WriteBatch;
import java.time.InstantSource;
import java.util.Map;

/**
 * The documents that make a batch count once: each is only ever created, so a batch that creates
 * one is carried out at most once, however often it is sent. Safe for use by many threads.
 */
final class IncrementNames {
  /** What the TTL policy goes by. */
  static final String EXPIRE_AT = "expire_at";

  private final CounterDocuments documents;
  private final InstantSource clock;

  IncrementNames(CounterDocuments documents, InstantSource clock) {
    this.documents = documents;
    this.clock = clock;
  }

  void create(WriteBatch batch, String name) {
    batch.create(
        document(name),
        Map.of(EXPIRE_AT, Times.timestamp(clock.instant().plus(documents.options().namesKept()))));
  }

  /** One read. */
  ApiFuture<Boolean> exists(String name) {
    return Steps.then(document(name).get(), DocumentSnapshot::exists);
  }

  private DocumentReference document(String name) {
    return documents.increments().document(name);
  }
}
