package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.WriteBatch;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** A counter on Cloud Firestore. */
final class FirestoreCounter extends Counter {
  private static final int PAGE = 500;

  /** Five million shards or names, by when others must be writing as fast as this deletes. */
  private static final int MOST_PAGES = 10_000;

  private final CounterDocuments documents;

  FirestoreCounter(CounterDocuments documents) {
    super(documents.counter());
    this.documents = documents;
  }

  @Override
  public ApiFuture<Void> create(int shards) {
    Arguments.shards(shards);
    WriteBatch batch = documents.batch();
    batch.create(documents.document(), Map.of(documents.options().shardsField(), (long) shards));
    for (int number = 0; number < shards; number++) {
      documents.create(batch, number);
    }
    return Steps.on(
        Code.ALREADY_EXISTS,
        Steps.then(batch.commit(), written -> remember(shards)),
        () -> ApiFutures.immediateFailedFuture(new CounterException.Exists(path())));
  }

  @SuppressWarnings("NullAway") // null is the only Void there is
  private Void remember(int shards) {
    documents.counters().known.remember(path(), shards);
    return null;
  }

  @Override
  ApiFuture<Instant> increment(Number delta) {
    return Steps.thenCall(
        Increments.add(documents, delta),
        written ->
            delta.doubleValue() == 0
                ? Steps.then(documents.document().get(), FirestoreCounter::readTime)
                : ApiFutures.immediateFuture(Times.instant(written.getUpdateTime())));
  }

  /** Firestore leaves a document's time as it was when nothing was changed, be it years ago. */
  private static Instant readTime(DocumentSnapshot later) {
    return Times.instant(Present.of(later.getReadTime()));
  }

  @Override
  ApiFuture<Boolean> increment(String name, Number delta) {
    return Increments.addOnce(documents, name, delta);
  }

  @Override
  public ApiFuture<RolledUpTotal> total() {
    return Steps.then(documents.rollup().get(), documents::decode);
  }

  @Override
  public ApiFuture<Total> exactTotal() {
    ShardSums sums =
        new ShardSums(documents.options().sum(), documents.options().layout().countField());
    return Steps.then(sums.sum(documents.shards()), Sum::total);
  }

  @Override
  public ListenerRegistration listen(
      Executor executor, Consumer<RolledUpTotal> changed, Consumer<RuntimeException> failed) {
    Arguments.present("executor", executor);
    Arguments.present("changed", changed);
    Arguments.present("failed", failed);
    return documents
        .rollup()
        .addSnapshotListener(
            executor,
            (document, failure) -> {
              if (document != null) {
                changed.accept(documents.decode(document));
              } else if (failure != null) {
                failed.accept(failure);
              }
            });
  }

  @Override
  public ApiFuture<Total> reset() {
    return Reset.run(documents);
  }

  @Override
  public ApiFuture<Void> resize(int shards) {
    Arguments.shards(shards);
    return Steps.then(CounterHead.attempt(documents, head -> resize(head, shards)), this::remember);
  }

  private ApiFuture<Optional<Integer>> resize(CounterHead head, int wanted) {
    int present = head.isSound() ? head.shards() : 0;
    if (present == wanted) {
      return ApiFutures.immediateFuture(Optional.of(wanted));
    }
    WriteBatch batch = documents.batch();
    for (int number = present; number < wanted; number++) {
      // Adding nothing creates what is missing, and leaves a retired shard's count as it is. New
      // shards come with the number that makes clients use them, so nobody meets one missing.
      documents.incrementOrCreate(batch, documents.shard(number), 0L);
    }
    head.replace(batch, documents.document(), documents.options().shardsField(), wanted);
    return Steps.then(Steps.commit(batch), written -> written.map(results -> wanted));
  }

  @Override
  public ApiFuture<Integer> compact(Duration unwritten) {
    return Compaction.run(documents, Arguments.unwritten(unwritten));
  }

  /**
   * The counter's document goes with the first page of shards: from then on no increment creates a
   * shard, so an empty page is the last. Names go after the shards: without a shard, no name is
   * created either.
   */
  @Override
  public ApiFuture<Void> delete() {
    documents.counters().known.forget(path());
    WriteBatch first = documents.batch().delete(documents.document());
    ApiFuture<Void> shards = delete(page(documents.shards()), first, MOST_PAGES);
    return Steps.thenCall(
        shards, done -> delete(page(documents.names()), documents.batch(), MOST_PAGES));
  }

  private static Query page(Query all) {
    return all.select(FieldPath.documentId()).limit(PAGE);
  }

  private ApiFuture<Void> delete(Query page, WriteBatch batch, int left) {
    if (left == 0) {
      return ApiFutures.immediateFailedFuture(
          new CounterException.Busy(
              path(), "at most " + MOST_PAGES * PAGE + " documents to delete"));
    }
    return Steps.thenCall(page.get(), found -> delete(page, batch, found, left));
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
