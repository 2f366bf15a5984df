package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * One increment, of either grade. Safe for use by many threads.
 *
 * @param shardOf which shard it goes to, by how many there are
 * @param with adds to the batch what must be written with it
 */
record Increments(
    CounterDocuments documents,
    Number delta,
    IntFunction<DocumentReference> shardOf,
    Consumer<WriteBatch> with) {

  static ApiFuture<WriteResult> add(CounterDocuments documents, Number delta) {
    return Steps.then(
        new Increments(documents, delta, documents::randomShard, batch -> {}).write(),
        written -> written.get(0));
  }

  /** False if the name was there. */
  static ApiFuture<Boolean> addOnce(CounterDocuments documents, String name, Number delta) {
    ApiFuture<List<WriteResult>> written =
        new Increments(
                documents,
                delta,
                shards -> documents.shard(shardOf(name, shards)),
                batch -> documents.createName(batch, name))
            .write();
    return Steps.on(
        Code.ALREADY_EXISTS,
        Steps.then(written, results -> true),
        () -> ApiFutures.immediateFuture(false));
  }

  /** The same for the same name and number of shards, on every machine. */
  static int shardOf(String name, int shards) {
    // The finalizer of MurmurHash3: names that differ in a digit go to shards that have no order.
    int hash = name.hashCode();
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return Math.floorMod(hash ^ (hash >>> 16), shards);
  }

  private ApiFuture<List<WriteResult>> write() {
    ApiFuture<List<WriteResult>> written =
        Steps.thenCall(
            known().of(documents.counter()),
            shards -> {
              WriteBatch batch = documents.batch();
              with.accept(batch);
              documents.increment(batch, shardOf.apply(shards), delta);
              return batch.commit();
            });
    return Steps.on(Code.NOT_FOUND, written, this::writeMissing);
  }

  /** The shard is not there: so create it, but only while the counter's document is there. */
  private ApiFuture<List<WriteResult>> writeMissing() {
    known().forget(documents.counter());
    return CounterHead.attempt(documents, this::create);
  }

  /** The increment comes first, for {@link #add} takes the first result. */
  private ApiFuture<Optional<List<WriteResult>>> create(CounterHead head) {
    int shards = head.shards();
    WriteBatch batch = documents.batch();
    documents.incrementOrCreate(batch, shardOf.apply(shards), delta);
    with.accept(batch);
    head.keep(batch, documents.document());
    known().remember(documents.counter(), shards);
    return Steps.commit(batch);
  }

  private KnownShards known() {
    return documents.counters().known;
  }
}
