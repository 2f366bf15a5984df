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
 * A counter on a Java server, with Firestore's client only. The project's own library does more:
 * see the README of the module shared.
 */
record ShardedCounter(Firestore db, String id, int numShards) {

  /** Creates the counter and its shards at zero, in one batch. Fails if any of them exists. */
  ApiFuture<List<WriteResult>> create() {
    WriteBatch batch = db.batch();
    batch.create(counter(), Map.of("numShards", numShards));
    for (int number = 0; number < numShards; number++) {
      batch.create(shard(number), Map.of("count", 0));
    }
    return batch.commit();
  }

  /** Adds one to a random shard. */
  ApiFuture<WriteResult> increment() {
    int number = ThreadLocalRandom.current().nextInt(numShards);
    return shard(number).update("count", FieldValue.increment(1));
  }

  /**
   * Shows the total now and after each change, in order. The client's own executor has several
   * threads, which could bring an older total after a newer one.
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
