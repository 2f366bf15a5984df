import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;

/**
 * A counter on a Java server, with nothing but Firestore's client. The project's own library does
 * more: see "From a Java server" in the README.
 */
record ShardedCounter(Firestore db, String id, int numShards) {

  /** The counter and its shards, all at zero, in one batch. */
  ApiFuture<List<WriteResult>> create() {
    WriteBatch batch = db.batch();
    batch.set(counter(), Map.of("numShards", numShards));
    for (int number = 0; number < numShards; number++) {
      batch.set(shard(number), Map.of("count", 0));
    }
    return batch.commit();
  }

  /** Adds one to a random shard. */
  ApiFuture<WriteResult> increment() {
    int number = ThreadLocalRandom.current().nextInt(numShards);
    return shard(number).update("count", FieldValue.increment(1));
  }

  /**
   * Shows the total now and whenever it changes, one after the other: the client's own executor has
   * several threads, which may bring an older total after a newer one.
   */
  ListenerRegistration listen(LongConsumer show) {
    return db.document("rollups/" + id)
        .addSnapshotListener(
            Runnable::run,
            (rollup, failure) -> {
              if (rollup != null) {
                show.accept(rollup.exists() ? rollup.getLong("count") : 0);
              }
            });
  }

  private DocumentReference counter() {
    return db.document("counters/" + id);
  }

  private DocumentReference shard(int number) {
    return counter().collection("shards").document(Integer.toString(number));
  }
}
