package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Both grades of increment. Safe for use by many threads. */
final class Increments {
  private final CounterDocuments documents;
  private final KnownShards known;
  private final IncrementNames names;

  Increments(CounterDocuments documents, KnownShards known, IncrementNames names) {
    this.documents = documents;
    this.known = known;
    this.names = names;
  }

  ApiFuture<WriteResult> add(Number delta) {
    return Steps.then(write(batch -> {}, documents::randomShard, delta), written -> written.get(0));
  }

  /** False if the name was there. */
  ApiFuture<Boolean> addOnce(String name, Number delta) {
    ApiFuture<Boolean> counted =
        Steps.then(
            write(
                batch -> names.create(batch, name),
                shards -> documents.shard(ShardOf.name(name, shards)),
                delta),
            written -> true);
    return Steps.onFailure(
        counted,
        failure ->
            Failures.code(failure) == StatusCode.Code.ALREADY_EXISTS
                ? ApiFutures.immediateFuture(false)
                : ApiFutures.immediateFailedFuture(failure));
  }

  /** Writes the increment last, after what must go with it. */
  private ApiFuture<List<WriteResult>> write(
      Consumer<WriteBatch> with, IntFunction<DocumentReference> shardOf, Number delta) {
    ApiFuture<List<WriteResult>> written =
        Steps.thenCall(
            known.of(documents.counter()),
            shards -> {
              WriteBatch batch = documents.batch();
              with.accept(batch);
              documents.increment(batch, shardOf.apply(shards), delta);
              return batch.commit();
            });
    return Steps.onFailure(
        written,
        failure ->
            Failures.code(failure) == StatusCode.Code.NOT_FOUND
                ? writeMissing(with, shardOf, delta)
                : ApiFutures.immediateFailedFuture(failure));
  }

  /** The shard is not there: so create it, but only while the counter's document is there. */
  private ApiFuture<List<WriteResult>> writeMissing(
      Consumer<WriteBatch> with, IntFunction<DocumentReference> shardOf, Number delta) {
    known.forget(documents.counter());
    return Attempts.run(
        documents.counter(),
        () ->
            Steps.thenCall(
                CounterHead.read(documents), head -> create(head, with, shardOf, delta)));
  }

  /** The increment comes first, for {@link #add} takes the first result. */
  private ApiFuture<Optional<List<WriteResult>>> create(
      CounterHead head,
      Consumer<WriteBatch> with,
      IntFunction<DocumentReference> shardOf,
      Number delta) {
    int shards = head.shards();
    WriteBatch batch = documents.batch();
    documents.incrementOrCreate(batch, shardOf.apply(shards), delta);
    with.accept(batch);
    head.keep(batch, documents.document());
    known.remember(documents.counter(), shards);
    return Attempts.commit(batch);
  }
}
