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
import com.google.cloud.firestore.WriteResult;
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
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.TotalField;
import dev.tallyroll.protocol.TotalField.Versions;
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

  /** How many counters' own documents are read at once: each may have a megabyte in the field. */
  private static final int FIELDS = 8;

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

  /** The calls for the counters' own documents. */
  private final Calls fields;

  /** The names on the way to the field of those that gets the totals; empty for none. */
  private final List<String> path;

  /** Empty for none. */
  private final Optional<TotalField> totalField;

  private final RunStore runs;

  public FirestoreStore(Firestore firestore, Layout layout, SumMode sum, Calls calls) {
    this(firestore, layout, sum, calls, Optional.empty(), (severity, message, fields) -> {});
  }

  /**
   * @param totalField the names on the way to the field of the counters' own documents that gets
   *     their totals; empty for none
   * @param journal gets an error for each document in which that field cannot be written
   */
  public FirestoreStore(
      Firestore firestore,
      Layout layout,
      SumMode sum,
      Calls calls,
      Optional<List<String>> totalField,
      Journal journal) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
    this.looks = calls.beside(LOOKS);
    this.entries = new LiveEntries(firestore, layout.liveList(), looks);
    this.sums = new ShardSums(sum, layout.countField());
    this.fields = calls.beside(FIELDS);
    this.path = totalField.orElse(List.of());
    this.confirmed = new ConfirmedSettings(this, calls.loop());
    this.totalField = totalField.map(names -> new TotalField(this, names, calls.loop(), journal));
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
    return totalField.isPresent()
        ? totalField.get().write(counter, change)
        : commit(counter, change, Optional.empty())
            .thenApply(versions -> versions.map(Versions::rollup));
  }

  @Override
  public CompletableFuture<Optional<Versions>> commit(
      CounterPath counter, Change change, Optional<Instant> document) {
    CompletableFuture<Optional<List<WriteResult>>> call =
        calls.compareAndSet(
            () -> {
              WriteBatch batch = batch(counter, change);
              document.ifPresent(version -> show(batch, counter, change, version));
              return batch.commit();
            });
    return Calls.cancelling(
        call.thenApply(results -> results.map(all -> versions(all, document.isPresent())))
            .exceptionallyCompose(
                failure ->
                    // The counter's own document is full, say: then the roll-up is written alone.
                    document.isPresent()
                            && Failures.code(failure.getCause()) == StatusCode.Code.INVALID_ARGUMENT
                        ? commit(counter, change, Optional.empty())
                        : CompletableFuture.failedFuture(failure)),
        call);
  }

  /** The roll-up's write is the first, and the field's is the last. */
  private static Versions versions(List<WriteResult> results, boolean shown) {
    return new Versions(
        Times.instant(results.get(0).getUpdateTime()),
        Optional.of(results.get(results.size() - 1))
            .filter(result -> shown)
            .map(result -> Times.instant(result.getUpdateTime())));
  }

  /** Changes only that field, and only if the document has the version. */
  private void show(WriteBatch batch, CounterPath counter, Change change, Instant version) {
    Number total = change.sum().orElseThrow().total().number();
    FieldPath field = FieldPath.of(path.toArray(String[]::new));
    batch.update(ownDocument(counter), Times.version(version), field, total);
  }

  @Override
  public CompletableFuture<Boolean> shows(CounterPath counter, Total total) {
    return totalField
        .map(its -> its.shows(counter, total))
        .orElse(CompletableFuture.completedFuture(true));
  }

  /** Reads what is below the first name: a mask of the whole path would leave out a text on it. */
  @Override
  public CompletableFuture<TotalField.Field> field(CounterPath counter) {
    DocumentReference[] document = {ownDocument(counter)};
    FieldMask first = FieldMask.of(FieldPath.of(path.get(0)));
    return fields
        .make(() -> firestore.getAll(document, first))
        .thenApply(
            answer -> {
              DocumentSnapshot found = answer.get(0);
              return found.exists()
                  ? TotalField.Field.of(Times.instant(found.getUpdateTime()), found.getData(), path)
                  : TotalField.Field.MISSING;
            });
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
