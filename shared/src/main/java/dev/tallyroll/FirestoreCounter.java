package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteBatch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The calls of one counter on Cloud Firestore; {@link dev.tallyroll.Counter} says what each does,
 * and has checked the arguments. Safe for use by many threads.
 */
public final class FirestoreCounter {
  private final CounterDocuments documents;
  private final KnownShards known;
  private final IncrementNames names;

  FirestoreCounter(CounterDocuments documents, KnownShards known, InstantSource clock) {
    this.documents = documents;
    this.known = known;
    this.names = new IncrementNames(documents, clock);
  }

  public ApiFuture<Void> create(int shards) {
    WriteBatch batch = documents.batch();
    batch.create(documents.document(), Map.of(documents.options().shardsField(), (long) shards));
    for (int number = 0; number < shards; number++) {
      batch.create(documents.shard(number), Map.of(documents.options().layout().countField(), 0L));
    }
    ApiFuture<Void> created = Steps.then(batch.commit(), written -> remember(shards));
    return Steps.onFailure(
        created,
        failure ->
            ApiFutures.immediateFailedFuture(
                Failures.code(failure) == StatusCode.Code.ALREADY_EXISTS
                    ? new CounterExistsException(documents.counter())
                    : failure));
  }

  @SuppressWarnings("NullAway") // null is the only Void there is
  private Void remember(int shards) {
    known.remember(documents.counter(), shards);
    return null;
  }

  public ApiFuture<Instant> add(Number delta) {
    return Steps.then(
        new Increments(documents, known, names).add(delta),
        written -> Times.instant(written.getUpdateTime()));
  }

  public ApiFuture<Boolean> addOnce(String name, Number delta) {
    return new Increments(documents, known, names).addOnce(name, delta);
  }

  public ApiFuture<Optional<RolledUpTotal>> total() {
    return Steps.then(documents.rollup().get(), this::decode);
  }

  private Optional<RolledUpTotal> decode(DocumentSnapshot document) {
    String mark = documents.options().layout().counterDocument(documents.counter());
    return RollupFields.decode(document, mark)
        .filter(rollup -> !rollup.isForeign())
        .map(RolledUpTotal::of);
  }

  public ApiFuture<Total> sum() {
    ShardSums sums =
        new ShardSums(documents.options().sum(), documents.options().layout().countField());
    return Steps.then(sums.sum(documents.shards()), Sum::total);
  }

  public ListenerRegistration listen(Executor executor, CounterListener listener) {
    return documents
        .rollup()
        .addSnapshotListener(
            executor,
            (document, failure) -> {
              if (document != null) {
                listener.changed(decode(document));
              } else if (failure != null) {
                listener.failed(failure);
              }
            });
  }

  public ApiFuture<Total> reset() {
    return new Reset(documents, names).run();
  }

  public ApiFuture<Void> delete() {
    known.forget(documents.counter());
    return new Deletion(documents).run();
  }

  public ApiFuture<Void> resize(int shards) {
    return Steps.then(new Resize(documents).run(shards), this::remember);
  }

  public ApiFuture<Integer> compact(Duration unwritten) {
    return new Compaction(documents).run(unwritten);
  }
}
