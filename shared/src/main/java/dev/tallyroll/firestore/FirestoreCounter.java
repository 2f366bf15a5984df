package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.UpdateBuilder;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Increment;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** A counter on Cloud Firestore. */
final class FirestoreCounter extends FirestoreReader implements Counter {
  private static final int PAGE = 500;

  /** Five million shards or names: then others must be writing as fast as this deletes. */
  private static final int MOST_PAGES = 10_000;

  FirestoreCounter(CounterDocuments documents) {
    super(documents);
  }

  @Override
  public ApiFuture<Void> create(int shards) {
    Arguments.shards(shards);
    return call(
        "create",
        () ->
            Steps.on(
                Code.ALREADY_EXISTS,
                Steps.then(creation(shards).commit(), written -> remember(shards)),
                () -> ApiFutures.immediateFailedFuture(new CounterException.Exists(path()))));
  }

  private WriteBatch creation(int shards) {
    WriteBatch batch = documents.batch();
    documents.createHead(batch, shards);
    for (int number = 0; number < shards; number++) {
      documents.create(batch, number);
    }
    return batch;
  }

  @Override
  public ApiFuture<Integer> createMissing(int shards) {
    Arguments.shards(shards);
    return call("createMissing", () -> ShardList.createMissing(documents, shards));
  }

  @SuppressWarnings("NullAway") // Void has no other value than null.
  private Void remember(int shards) {
    known().remember(path(), shards);
    return null;
  }

  @Override
  public ApiFuture<Instant> add(long delta) {
    return add("add", Arguments.delta(delta));
  }

  @Override
  public ApiFuture<Instant> addFraction(double delta) {
    return add("addFraction", Arguments.delta(delta));
  }

  private ApiFuture<Instant> add(String name, Number delta) {
    Write write = new Write(delta, documents::randomShard, batch -> {});
    return call(
        name,
        () ->
            Steps.thenCall(
                commit(write),
                written ->
                    delta.doubleValue() == 0
                        ? Steps.then(documents.document().get(), FirestoreCounter::readTime)
                        : ApiFutures.immediateFuture(commitTime(written))));
  }

  /** Firestore leaves a document's time as it was when nothing was changed, be it years ago. */
  private static Instant readTime(DocumentSnapshot later) {
    return Times.instant(later.getReadTime());
  }

  /**
   * The commit's time: the latest update time, since a document that it has not changed keeps an
   * older one.
   */
  private static Instant commitTime(List<WriteResult> written) {
    return written.stream()
        .map(result -> Times.instant(result.getUpdateTime()))
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  @Override
  public ApiFuture<Increment> prepare(long delta) {
    return prepare("prepare", Arguments.delta(delta));
  }

  @Override
  public ApiFuture<Increment> prepareFraction(double delta) {
    return prepare("prepareFraction", Arguments.delta(delta));
  }

  private ApiFuture<Increment> prepare(String name, Number delta) {
    return call(
        name,
        () -> Steps.then(shards(), shards -> new Prepared(delta, documents.randomShard(shards))));
  }

  private final class Prepared implements Increment {
    private final Number delta;
    private final DocumentReference shard;

    Prepared(Number delta, DocumentReference shard) {
      this.delta = delta;
      this.shard = shard;
    }

    @Override
    public void addTo(UpdateBuilder<?> writes) {
      documents.increment(writes, shard, delta);
    }

    /** Adding nothing creates what is missing. */
    @Override
    public ApiFuture<Increment> again() {
      return call(
          "again",
          () -> {
            known().forget(path());
            return CounterHead.attempt(
                documents,
                head -> {
                  DocumentReference other = documents.randomShard(head.shards());
                  return Steps.then(
                      create(head, new Write(0L, shards -> other, batch -> {})),
                      written -> written.map(results -> new Prepared(delta, other)));
                });
          });
    }
  }

  @Override
  public ApiFuture<Instant> addOnce(long delta) {
    String name = documents.newName();
    Write write = named(name, Arguments.delta(delta));
    return call("addOnce", () -> commitOnce(name, write));
  }

  private ApiFuture<Instant> commitOnce(String name, Write write) {
    return Steps.on(
        Code.ALREADY_EXISTS,
        Steps.then(commit(write), FirestoreCounter::commitTime),
        () -> Steps.then(documents.name(name).get(), FirestoreCounter::createTime));
  }

  /** Adds a sum of valid deltas, which is not 0, and may be larger than a single delta may be. */
  ApiFuture<Instant> addSum(long sum, boolean exactlyOnce) {
    if (!exactlyOnce) {
      return add("add", sum);
    }
    String name = documents.newName();
    Write write = named(name, sum);
    return call("addOnce", () -> commitOnce(name, write, Steps.MOST_ATTEMPTS));
  }

  /** Tries again with the same name after any failure that may have written. */
  private ApiFuture<Instant> commitOnce(String name, Write write, int left) {
    ApiFuture<Instant> commit = commitOnce(name, write);
    return left == 1
        ? commit
        : Steps.onFailure(
            commit,
            failure ->
                failure instanceof CounterException
                    ? ApiFutures.immediateFailedFuture(failure)
                    : commitOnce(name, write, left - 1));
  }

  /**
   * A missing name was deleted with its counter; the time of this read is later than its creation.
   */
  private static Instant createTime(DocumentSnapshot name) {
    return name.exists() ? Times.instant(name.getCreateTime()) : readTime(name);
  }

  @Override
  public ApiFuture<Boolean> addOnce(String name, long delta) {
    return addOnce("addOnce", named(name, Arguments.delta(delta)));
  }

  @Override
  public ApiFuture<Boolean> addFractionOnce(String name, double delta) {
    return addOnce("addFractionOnce", named(name, Arguments.delta(delta)));
  }

  private ApiFuture<Boolean> addOnce(String call, Write write) {
    return call(
        call,
        () ->
            Steps.on(
                Code.ALREADY_EXISTS,
                Steps.then(commit(write), results -> true),
                () -> ApiFutures.immediateFuture(false)));
  }

  /**
   * One increment, with a name or without.
   *
   * @param shardOf which shard it goes to, by how many there are
   * @param with adds to the batch what must be written with it
   */
  private record Write(
      Number delta, IntFunction<DocumentReference> shardOf, Consumer<WriteBatch> with) {}

  private Write named(String name, Number delta) {
    Names.requireDocumentId("increment name", name);
    Names.requirePath("increment name", documents.name(name).getPath());
    return new Write(
        delta,
        shards -> documents.shard(shardOf(name, shards)),
        batch -> documents.createName(batch, name));
  }

  /** The same for the same name and number of shards, on every machine. */
  static int shardOf(String name, int shards) {
    // The finalizer of MurmurHash3: names that differ in a digit go to shards that have no order.
    int hash = name.hashCode();
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return Math.floorMod(hash ^ (hash >>> 16), shards);
  }

  private ApiFuture<List<WriteResult>> commit(Write write) {
    ApiFuture<List<WriteResult>> written =
        Steps.thenCall(
            shards(),
            shards -> {
              WriteBatch batch = documents.batch();
              write.with.accept(batch);
              documents.increment(batch, write.shardOf.apply(shards), write.delta);
              return batch.commit();
            });
    return Steps.on(Code.NOT_FOUND, written, () -> commitMissing(write));
  }

  /** Creates the missing shard, if the counter's document is there. */
  private ApiFuture<List<WriteResult>> commitMissing(Write write) {
    known().forget(path());
    return CounterHead.attempt(documents, head -> create(head, write));
  }

  private ApiFuture<Optional<List<WriteResult>>> create(CounterHead head, Write write) {
    int shards = head.shards();
    WriteBatch batch = documents.batch();
    documents.incrementOrCreate(batch, write.shardOf.apply(shards), write.delta);
    write.with.accept(batch);
    head.keep(batch, documents.document());
    known().remember(path(), shards);
    return Steps.commit(batch);
  }

  /** The number of shards, which costs a read if it is not known. */
  private ApiFuture<Integer> shards() {
    return known().of(path(), () -> Steps.then(CounterHead.read(documents), CounterHead::shards));
  }

  private KnownShards known() {
    return documents.client().known();
  }

  @Override
  public ApiFuture<Total> exactTotal() {
    ShardSums sums =
        new ShardSums(documents.options().sum(), documents.options().layout().counted());
    return call("exactTotal", () -> Steps.then(sums.sum(documents.shards()), Sum::total));
  }

  @Override
  public ApiFuture<Total> reset() {
    return call("reset", () -> ShardList.reset(documents));
  }

  @Override
  public ApiFuture<Void> resize(int shards) {
    Arguments.shards(shards);
    return call(
        "resize",
        () ->
            Steps.then(
                CounterHead.attempt(documents, head -> resize(head, shards)), this::remember));
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
    Arguments.unwritten(unwritten);
    return call("compact", () -> ShardList.compact(documents, unwritten));
  }

  /**
   * Deletes the counter's document with the first page of shards: then no increment creates a
   * shard, so an empty page is the last. Names are deleted after the shards: without a shard, no
   * name is created.
   */
  @Override
  public ApiFuture<Void> delete() {
    return call("delete", this::deleteAll);
  }

  private ApiFuture<Void> deleteAll() {
    known().forget(path());
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
