// Not run by this project's tests. A counter in an Android app, in Kotlin; the calls are the same in
// Java. On Android's emulator, db.useEmulator("10.0.2.2", port) leads to the local stack.
import com.google.android.gms.tasks.Task
import com.google.firebase.firestore.DocumentReference
import com.google.firebase.firestore.FieldValue
import com.google.firebase.firestore.FirebaseFirestore
import com.google.firebase.firestore.ListenerRegistration
import kotlin.random.Random

class ShardedCounter(private val db: FirebaseFirestore, private val id: String, private val numShards: Int) {

    /** The counter and its shards, all at zero, in one batch. */
    fun create(): Task<Void> = db.runBatch { batch ->
        batch.set(counter(), mapOf("numShards" to numShards))
        for (number in 0 until numShards) {
            batch.set(shard(number), mapOf("count" to 0))
        }
    }

    /** Adds one to a random shard. */
    fun increment(): Task<Void> = shard(Random.nextInt(numShards)).update("count", FieldValue.increment(1))

    /** Shows the total now and whenever it changes, until it is removed. */
    fun listen(show: (Number) -> Unit): ListenerRegistration =
        db.collection("rollups").document(id).addSnapshotListener { rollup, _ ->
            if (rollup != null) {
                show(rollup.get("count") as Number? ?: 0)
            }
        }

    private fun counter(): DocumentReference = db.collection("counters").document(id)

    private fun shard(number: Int): DocumentReference =
        counter().collection("shards").document(number.toString())
}
