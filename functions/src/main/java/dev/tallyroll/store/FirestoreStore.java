package dev.tallyroll.store;

import com.google.api.core.ListenableFutureToApiFuture;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.common.collect.Iterables;
import com.google.common.util.concurrent.Futures;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.TotalField;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Roll-ups and the live list in Cloud Firestore. */
public final class FirestoreStore implements RollupStore, TotalField.Documents {
  /** How many shards' ages are read; enough for an estimate. */
  private static final int MAX_AGES = 1_000;

  private static final int LOOKS = 8;
  private static final int LISTINGS = 8;
  private static final Executor THREADS = Executors.newCachedThreadPool(FirestoreStore::daemon);

  /** The first of all document ids, by Firestore's order: numeric ids come before names. */
  private static final String FIRST_ID = "__id-9223372036854775808__";

  /** A field of an entry: the path of the counter's document, as in the mark of its roll-up. */
  private static final String COUNTER = "counter";

  /** Where the client library keeps the names of increments, below a counter, for some days. */
  private static final String INCREMENT_NAMES = Layout.INCREMENT_NAMES;

  private static final Map<String, Object> NOTHING =
      RollupFields.OURS.stream()
          .collect(Collectors.toMap(field -> field, field -> FieldValue.delete()));

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  /** The calls for the live list and for run documents, which must not wait for others. */
  private final Calls looks;

  private final LiveEntries entries;

  /** The calls that block a thread each. */
  private final Calls listings;

  private final ShardSums sums;

  /** The field of the counters' own documents that gets their totals; empty for none. */
  private final Optional<FieldPath> shown;

  private final TotalField totalField;
  private final RunStore runs;

  public FirestoreStore(Firestore firestore, Layout layout, SumMode sum, Calls calls) {
    this(firestore, layout, sum, calls, Optional.empty());
  }

  /**
   * @param totalField the names on the way to the field of the counters' own documents that gets
   *     their totals; empty for none
   */
  public FirestoreStore(
      Firestore firestore,
      Layout layout,
      SumMode sum,
      Calls calls,
      Optional<List<String>> totalField) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
    this.looks = calls.beside(LOOKS);
    this.entries = new LiveEntries(firestore, layout.liveList(), looks);
    this.listings = calls.beside(LISTINGS);
    this.sums = new ShardSums(sum, layout.countField());
    this.shown = totalField.map(names -> FieldPath.of(names.toArray(String[]::new)));
    this.totalField = new TotalField(calls.clock());
    this.runs =
        new FirestoreRuns(firestore, layout::runDocument, layout.counters(), looks, this::isOn);
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    return calls
        .make(() -> document(counter).get())
        .thenApply(
            document ->
                new Reading(
                    RollupFields.decode(document, layout.counterDocument(counter)),
                    otherMark(document),
                    Times.instant(document.getReadTime())));
  }

  /** The mark of a roll-up that belongs to another pattern of counters. */
  private Optional<String> otherMark(DocumentSnapshot document) {
    return document.get(RollupFields.COUNTER) instanceof String mark
            && layout.counterOfDocument(mark).isEmpty()
        ? Optional.of(mark)
        : Optional.empty();
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    return quickSum(counter)
        .thenCompose(
            sum ->
                sum.shards() > 0
                    ? CompletableFuture.completedFuture(sum)
                    : hasGone(counter)
                        .thenApply(gone -> gone ? sum : Sum.misplaced(sum.readTime())));
  }

  @Override
  public CompletableFuture<Sum> quickSum(CounterPath counter) {
    return calls.make(() -> sums.sum(shards(counter)));
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(CounterPath counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(MAX_AGES).get())
        .thenApply(
            answer ->
                answer.getDocuments().stream()
                    .map(it -> Times.instant(it.getUpdateTime()))
                    .map(time -> Duration.between(time, Times.instant(answer.getReadTime())))
                    .toList());
  }

  private CollectionReference shards(CounterPath counter) {
    return firestore.collection(layout.shardsCollection(counter));
  }

  /**
   * Whether the counter was deleted: its collection of shards is empty, and so is every other below
   * its document, where shards would be that wrong settings miss.
   */
  private CompletableFuture<Boolean> hasGone(CounterPath counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(1).get())
        .thenCompose(
            any ->
                any.isEmpty()
                    ? hasNoOtherCollection(ownDocument(counter))
                    : CompletableFuture.completedFuture(false));
  }

  /** The client has only a blocking form of this call, so it is made on another thread. */
  private CompletableFuture<Boolean> hasNoOtherCollection(DocumentReference counter) {
    Callable<Boolean> call =
        () -> Iterables.all(counter.listCollections(), it -> it.getId().equals(INCREMENT_NAMES));
    return listings.make(() -> new ListenableFutureToApiFuture<>(Futures.submit(call, THREADS)));
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    return shown.isPresent()
        ? totalField.write(this, counter, change)
        : commit(counter, change, /* withField= */ false);
  }

  @Override
  public CompletableFuture<Optional<Instant>> commit(
      CounterPath counter, Change change, boolean withField) {
    return calls
        .compareAndSet(
            () -> {
              WriteBatch batch = batch(counter, change);
              return (withField ? show(batch, counter, change) : batch).commit();
            })
        // The roll-up's write is the first.
        .thenApply(results -> results.map(it -> Times.instant(it.get(0).getUpdateTime())))
        .exceptionallyCompose(
            failure ->
                // The counter's own document is full, say: then the roll-up alone gets the total.
                withField && Failures.code(failure.getCause()) == StatusCode.Code.INVALID_ARGUMENT
                    ? commit(counter, change, /* withField= */ false)
                    : CompletableFuture.failedFuture(failure));
  }

  /** Changes only that field, and only if the document is there. */
  private WriteBatch show(WriteBatch batch, CounterPath counter, Change change) {
    Number total = change.sum().orElseThrow().total().number();
    return batch.update(ownDocument(counter), shown.orElseThrow(), total);
  }

  @Override
  public CompletableFuture<Boolean> hasDocument(CounterPath counter) {
    return readField(counter).thenApply(DocumentSnapshot::exists);
  }

  @Override
  public CompletableFuture<Boolean> shows(CounterPath counter, Total total) {
    return shown.isEmpty()
        ? CompletableFuture.completedFuture(true)
        : readField(counter)
            .thenApply(
                document ->
                    !document.exists()
                        || (document.get(shown.get()) instanceof Number number
                            && Total.of(number).equals(total)));
  }

  private CompletableFuture<DocumentSnapshot> readField(CounterPath counter) {
    DocumentReference[] document = {ownDocument(counter)};
    FieldMask field = FieldMask.of(shown.orElseThrow());
    return calls.make(() -> firestore.getAll(document, field)).thenApply(found -> found.get(0));
  }

  private DocumentReference ownDocument(CounterPath counter) {
    return firestore.document(layout.counterDocument(counter));
  }

  private WriteBatch batch(CounterPath counter, Change change) {
    WriteBatch batch = firestore.batch();
    DocumentReference document = document(counter);
    Map<String, Object> fields = change.sum().map(RollupFields::encode).orElseGet(HashMap::new);
    change.liveUntil().ifPresent(it -> fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(it)));
    if (change.expected().isEmpty()) {
      fields.put(RollupFields.COUNTER, layout.counterDocument(counter));
      batch.create(document, fields);
      return change.kind() == Change.Kind.CREATE ? enter(batch, counter) : batch;
    }
    Precondition version = Times.version(change.expected().orElseThrow());
    return switch (change.kind()) {
      case CREATE, CREATE_POLLED, BEGIN -> enter(batch.update(document, fields, version), counter);
      case UPDATE -> batch.update(document, fields, version);
      case END -> {
        fields.put(RollupFields.LIVE_UNTIL, FieldValue.delete());
        yield leave(batch.update(document, fields, version), counter);
      }
      case REMOVE -> leave(batch.delete(document, version), counter);
      case CLEAR -> leave(batch.update(document, NOTHING, version), counter);
    };
  }

  private WriteBatch enter(WriteBatch batch, CounterPath counter) {
    return batch.set(
        firestore.document(layout.liveEntry(counter)),
        Map.of(
            COUNTER,
            layout.counterDocument(counter),
            LiveEntries.SINCE,
            FieldValue.serverTimestamp()),
        SetOptions.merge());
  }

  private WriteBatch leave(WriteBatch batch, CounterPath counter) {
    return batch.delete(firestore.document(layout.liveEntry(counter)));
  }

  @Override
  public CompletableFuture<LiveList> live(Part part) {
    return entries.in(part).thenApply(this::decode);
  }

  @Override
  public CompletableFuture<LiveList> liveSince(Instant since) {
    return entries.writtenAfter(since).thenApply(this::decode);
  }

  private LiveList decode(QuerySnapshot answer) {
    return new LiveList(
        answer.getDocuments().stream().flatMap(this::entry).toList(),
        Times.instant(answer.getReadTime()),
        LiveEntries.isCut(answer));
  }

  /** Empty if the document is not the entry of a counter of this layout. */
  private Stream<Entry> entry(QueryDocumentSnapshot document) {
    return document.get(COUNTER) instanceof String path
        ? layout.counterOfDocument(path).stream()
            .filter(counter -> layout.liveId(counter).equals(document.getId()))
            .map(counter -> new Entry(counter, Times.instant(document.getUpdateTime())))
        : Stream.empty();
  }

  @Override
  public CompletableFuture<Void> remove(Entry entry) {
    DocumentReference document = firestore.document(layout.liveEntry(entry.counter()));
    return calls
        .compareAndSet(() -> document.delete(Times.version(entry.updateTime())))
        .thenAccept(removed -> {});
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    Query ground = ground(group);
    Query from = after.isEmpty() ? ground : ground.startAfter(firestore.document(after));
    return calls
        .make(() -> from.select(FieldPath.documentId()).limit(limit).get())
        .thenApply(answer -> page(group, answer, limit));
  }

  private String collection(Group group) {
    return group == Group.ROLLUPS ? layout.rollups() : layout.countersCollection();
  }

  /**
   * The collection, if there is only one; else all collections of this name below the pattern's
   * fixed start, which ends in the name of a collection.
   */
  private Query ground(Group group) {
    String name = collection(group);
    Optional<String> parent = layout.singleParent();
    if (parent.isPresent()) {
      return firestore
          .collection(parent.get().isEmpty() ? name : parent.get() + "/" + name)
          .orderBy(FieldPath.documentId());
    }
    Query all = firestore.collectionGroup(name).orderBy(FieldPath.documentId());
    String start = layout.fixedStart();
    return start.isEmpty() ? all : all.startAt(first(start)).endBefore(first(start + '\0'));
  }

  private DocumentReference first(String collection) {
    return firestore.collection(collection).document(FIRST_ID);
  }

  private Page page(Group group, QuerySnapshot answer, int limit) {
    List<String> paths =
        answer.getDocuments().stream().map(it -> it.getReference().getPath()).toList();
    return new Page(
        paths.stream()
            .map(
                path ->
                    group == Group.ROLLUPS
                        ? layout.counterOfRollup(path)
                        : layout.counterOfDocument(path))
            .flatMap(Optional::stream)
            .toList(),
        paths.size(),
        paths.size() == limit ? paths.get(limit - 1) : "");
  }

  /** The run documents beside this live list. */
  public RunStore runs() {
    return runs;
  }

  /**
   * Whether a query can go on after a document. If the stored place is damaged, or was stored with
   * other settings, the sweep begins at the start, which is harmless.
   */
  private boolean isOn(Group group, String path) {
    try {
      return ground(group).startAfter(firestore.document(path)) != null;
    } catch (IllegalArgumentException elsewhere) {
      return false;
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "tallyroll-listing");
    thread.setDaemon(true);
    return thread;
  }

  private DocumentReference document(CounterPath counter) {
    return firestore.document(layout.rollupDocument(counter));
  }
}
