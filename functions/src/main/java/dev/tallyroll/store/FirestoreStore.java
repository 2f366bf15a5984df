package dev.tallyroll.store;

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
import dev.tallyroll.protocol.ConfirmedSettings;
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
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Roll-ups and the live list in Cloud Firestore. */
public final class FirestoreStore
    implements RollupStore, ConfirmedSettings.Documents, TotalField.Documents {
  /** How many shards' ages are read; enough for an estimate. */
  private static final int MAX_AGES = 1_000;

  private static final int LOOKS = 8;

  /** A field of an entry: the path of the counter's document, as in the mark of its roll-up. */
  private static final String COUNTER = "counter";

  private static final Map<String, Object> NOTHING =
      RollupFields.OURS.stream()
          .collect(Collectors.toMap(field -> field, field -> FieldValue.delete()));

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  /** The calls for the live list and for run documents, which must not wait for others. */
  private final Calls looks;

  private final LiveEntries entries;

  private final ShardSums sums;
  private final ConfirmedSettings confirmed;

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
    this.sums = new ShardSums(sum, layout.countField());
    this.shown = totalField.map(names -> FieldPath.of(names.toArray(String[]::new)));
    this.confirmed = new ConfirmedSettings(this, calls.clock());
    this.totalField = new TotalField(calls.clock());
    this.runs = new FirestoreRuns(firestore, layout::runDocument, layout.counters(), looks);
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
    return sumShards(counter).thenCompose(sum -> confirmed.judge(counter, sum));
  }

  @Override
  public CompletableFuture<Sum> quickSum(CounterPath counter) {
    return sumShards(counter).thenApply(confirmed::seen);
  }

  private CompletableFuture<Sum> sumShards(CounterPath counter) {
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

  @Override
  public CompletableFuture<ConfirmedSettings.Look> look(CounterPath counter) {
    FieldPath count = FieldPath.of(layout.countField());
    return calls
        .make(() -> shards(counter).select(count).limit(1).get())
        .thenApply(
            found ->
                found.isEmpty()
                    ? ConfirmedSettings.Look.NOTHING
                    : found.getDocuments().get(0).contains(count)
                        ? ConfirmedSettings.Look.SHARD
                        : ConfirmedSettings.Look.OTHER);
  }

  /** Reads only the fields of ours: in a foreign document, others may be large. */
  @Override
  public CompletableFuture<Optional<Map<String, Object>>> settings() {
    DocumentReference[] document = {firestore.document(layout.settingsDocument())};
    FieldMask fields = FieldMask.of(ConfirmedSettings.FIELDS.toArray(String[]::new));
    return looks
        .make(() -> firestore.getAll(document, fields))
        .thenApply(found -> Optional.ofNullable(found.get(0).getData()));
  }

  @Override
  public CompletableFuture<Void> createSettings(Map<String, Object> fields) {
    return looks
        .compareAndSet(() -> firestore.document(layout.settingsDocument()).create(fields))
        .thenAccept(created -> {});
  }

  /** The settings with which this store's totals were made. */
  public ConfirmedSettings confirmed() {
    return confirmed;
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
    return PathRange.of(firestore, name, layout.fixedStart());
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

  @Override
  public boolean isElsewhere(Group group, String path) {
    try {
      ground(group).startAfter(firestore.document(path));
      return false;
    } catch (IllegalArgumentException elsewhere) {
      return true;
    }
  }

  private DocumentReference document(CounterPath counter) {
    return firestore.document(layout.rollupDocument(counter));
  }
}
