import com.google.android.gms.tasks.Task;
import com.google.android.gms.tasks.Tasks;
import com.google.firebase.firestore.DocumentReference;
import com.google.firebase.firestore.FieldValue;
import com.google.firebase.firestore.FirebaseFirestore;
import com.google.firebase.firestore.ListenerRegistration;
import com.google.firebase.firestore.MetadataChanges;
import com.google.firebase.firestore.Source;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;

/** A counter in an Android app. A server has created it and its shards. */
final class ShardedCounter {
  private final FirebaseFirestore db;
  private final String id;
  private final int shards;

  ShardedCounter(FirebaseFirestore db, String id, int shards) {
    this.db = db;
    this.id = id;
    this.shards = shards;
  }

  /**
   * Adds one to a random shard. Without a network, the SDK keeps the write and sends it later: the
   * task ends only then. If the reply is lost, the SDK sends it again, and it may count twice.
   */
  Task<Void> increment() {
    int number = ThreadLocalRandom.current().nextInt(shards);
    return shard(number).update("count", FieldValue.increment(1));
  }

  /**
   * Shows the total now and after each change. Shows nothing before the server has answered once:
   * an empty cache is not a total of zero.
   */
  ListenerRegistration listen(LongConsumer show) {
    return db.document("rollups/" + id)
        .addSnapshotListener(
            MetadataChanges.INCLUDE,
            (rollup, failure) -> {
              if (rollup == null || (!rollup.exists() && rollup.getMetadata().isFromCache())) {
                return;
              }
              Long count = rollup.getLong("count");
              show.accept(count == null ? 0 : count);
            });
  }

  /** The total as the server has it; fails without a network. */
  Task<Long> total() {
    return db.document("rollups/" + id)
        .get(Source.SERVER)
        .onSuccessTask(
            rollup -> {
              Long count = rollup.getLong("count");
              return Tasks.forResult(count == null ? 0 : count);
            });
  }

  private DocumentReference shard(int number) {
    return db.document("counters/" + id + "/shards/" + number);
  }
}
