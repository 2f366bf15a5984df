// Not run by this project's tests. A counter in an app for Apple's platforms, in Swift. In the
// simulator, db.useEmulator(withHost: "127.0.0.1", port: port) leads to the local stack.
import FirebaseFirestore

struct ShardedCounter {
  let db: Firestore
  let id: String
  let numShards: Int

  /// The counter and its shards, all at zero, in one batch.
  func create() async throws {
    let batch = db.batch()
    batch.setData(["numShards": numShards], forDocument: counter)
    for number in 0..<numShards {
      batch.setData(["count": 0], forDocument: shard(number))
    }
    try await batch.commit()
  }

  /// Adds one to a random shard.
  func increment() async throws {
    let number = Int.random(in: 0..<numShards)
    try await shard(number).updateData(["count": FieldValue.increment(Int64(1))])
  }

  /// Shows the total now and whenever it changes, until it is removed.
  func listen(_ show: @escaping (NSNumber) -> Void) -> ListenerRegistration {
    db.collection("rollups").document(id).addSnapshotListener { rollup, _ in
      guard let rollup else { return }
      show(rollup.get("count") as? NSNumber ?? 0)
    }
  }

  private var counter: DocumentReference { db.collection("counters").document(id) }

  private func shard(_ number: Int) -> DocumentReference {
    counter.collection("shards").document(String(number))
  }
}
