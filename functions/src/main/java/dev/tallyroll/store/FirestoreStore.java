package dev.tallyroll.store;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.ConfirmedSettings;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.TotalField;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Roll-ups of all counters, polled ones included, and their live list in Cloud Firestore. */
public final class FirestoreStore implements RollupStore, ConfirmedSettings.Documents {
  /** How many shards' ages are read; enough for an estimate. */
  private static final int MAX_AGES = 1_000;

  /** Run documents and the live list do not wait for the calls of counters. */
  private static final int MOST_RUN_CALLS = 8;

  /** A field of an entry: the path of the counter's document, as in the mark of its roll-up. */
  private static final String COUNTER = "counter";

  private static final Map<String, Object> NOTHING =
      RollupFields.OURS.stream()
          .collect(Collectors.toMap(field -> field, field -> FieldValue.delete()));

  private final Firestore firestore;
  private final Layout layout;

  /** Where polled counters are. */
  private final Optional<Layout> polled;

  private final Calls calls;

  /** The calls for the live list and for run documents, which must not wait for others. */
  private final Calls runCalls;

  private final LiveEntries<Located> entries;

  private final ShardSums sums;
  private final Map<Layout, ConfirmedSettings> confirmed = new HashMap<>();

  private final Optional<ShardedCounters> shardedCounters;
  private final RunStore runs;

  /**
   * @param layout of the counters whose shards have a trigger, or else of polled ones; and of the
   *     live list
   * @param polled the layout of polled counters; empty for none
   */
  public FirestoreStore(
      Firestore firestore, Layout layout, Optional<Layout> polled, SumMode sum, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.polled = polled;
    this.calls = calls;
    this.runCalls = calls.separate(MOST_RUN_CALLS);
    this.entries =
        new LiveEntries<>(
            firestore, layout.liveList(), runCalls, calls, COUNTER, this::located, Located::liveId);
    this.sums = new ShardSums(sum, layout.countField());
    layouts().forEach(each -> confirmed.put(each, new ConfirmedSettings(this, each, calls.loop())));
    this.shardedCounters =
        polled.map(
            place ->
                new ShardedCounters(
                    firestore,
                    place,
                    calls,
                    polled.filter(layout::equals).map(alone -> ground(Group.POLLED_ROLLUPS))));
    this.runs = new FirestoreRuns(firestore, layout::runDocument, layout.placeOfTotals(), runCalls);
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public Optional<Layout> polled() {
    return polled;
  }

  @Override
  public LiveStore<Located> liveList() {
    return entries;
  }

  private Stream<Layout> layouts() {
    return Stream.concat(Stream.of(layout), polled.stream()).distinct();
  }

  @Override
  public CompletableFuture<Boolean> agree(Located counter, Journal journal) {
    return confirmed(counter.layout()).agree(journal);
  }

  @Override
  public CompletableFuture<Boolean> agree(Journal journal) {
    return all(each -> each.agree(journal));
  }

  @Override
  public CompletableFuture<Boolean> agreeNow(Journal journal) {
    return all(each -> each.agreeNow(journal));
  }

  private CompletableFuture<Boolean> all(
      Function<ConfirmedSettings, CompletableFuture<Boolean>> agree) {
    return confirmed.values().stream()
        .map(agree)
        .reduce((one, other) -> one.thenCombine(other, Boolean::logicalAnd))
        .orElseThrow();
  }

  @Override
  public CompletableFuture<Reading> read(Located counter) {
    return calls
        .make(() -> document(counter).get())
        .thenApply(
            document ->
                new Reading(
                    RollupFields.decode(document, counter.document()),
                    otherMark(counter, document),
                    Times.instant(document.getReadTime())));
  }

  /** The mark of a roll-up that belongs to another pattern of counters. */
  private static Optional<String> otherMark(Located counter, DocumentSnapshot document) {
    return document.get(RollupFields.COUNTER) instanceof String mark
            && counter.layout().counterOfDocument(mark).isEmpty()
        ? Optional.of(mark)
        : Optional.empty();
  }

  @Override
  public CompletableFuture<Sum> sum(Located counter) {
    return sumShards(counter).thenCompose(sum -> confirmed(counter.layout()).judge(counter, sum));
  }

  @Override
  public CompletableFuture<Sum> quickSum(Located counter) {
    return sumShards(counter).thenCompose(confirmed(counter.layout())::confirm);
  }

  private CompletableFuture<Sum> sumShards(Located counter) {
    return calls.make(() -> sums.sum(shards(counter)));
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(Located counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(MAX_AGES).get())
        .thenApply(
            answer ->
                answer.getDocuments().stream()
                    .map(shard -> Times.instant(shard.getUpdateTime()))
                    .map(time -> Duration.between(time, Times.instant(answer.getReadTime())))
                    .toList());
  }

  private CollectionReference shards(Located counter) {
    return firestore.collection(counter.shards());
  }

  @Override
  public CompletableFuture<ConfirmedSettings.Found> findShard(Located counter) {
    FieldPath count = FieldPath.of(counter.layout().countField());
    return calls
        .make(() -> shards(counter).select(count).limit(1).get())
        .thenApply(
            found ->
                found.isEmpty()
                    ? ConfirmedSettings.Found.NOTHING
                    : found.getDocuments().get(0).contains(count)
                        ? ConfirmedSettings.Found.SHARD
                        : ConfirmedSettings.Found.OTHER);
  }

  /** Reads only the fields of ours: in a foreign document, others may be large. */
  @Override
  public CompletableFuture<Optional<Map<String, Object>>> settings(Layout of) {
    DocumentReference[] document = {firestore.document(of.settingsDocument())};
    FieldMask fields = FieldMask.of(ConfirmedSettings.FIELDS.toArray(String[]::new));
    return runCalls
        .make(() -> firestore.getAll(document, fields))
        .thenApply(found -> Optional.ofNullable(found.get(0).getData()));
  }

  @Override
  public CompletableFuture<Void> createSettings(Layout of, Map<String, Object> fields) {
    return runCalls
        .compareAndSet(() -> firestore.document(of.settingsDocument()).create(fields))
        .thenAccept(created -> {});
  }

  /** The settings with which the totals of a layout's counters were made. */
  public ConfirmedSettings confirmed(Layout of) {
    return Objects.requireNonNull(confirmed.get(of), () -> "not a layout of this store: " + of);
  }

  /**
   * This store, or one around it that also writes each total into the counter's own document.
   *
   * @param field that field; empty for none
   * @param journal gets an error for each document in which that field cannot be written
   */
  public RollupStore showing(Optional<FieldName> field, Journal journal) {
    return field
        .<RollupStore>map(
            path ->
                new TotalField(
                    this,
                    new OwnDocuments(this, firestore, calls, path),
                    path,
                    calls.loop(),
                    journal))
        .orElse(this);
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(Located counter, Change change) {
    return commit(counter, change, batch -> {})
        .thenApply(results -> results.map(all -> Times.instant(all.get(0).getUpdateTime())));
  }

  /**
   * Writes as {@link #write}.
   *
   * @param more adds writes to the commit
   * @return the results, of which the roll-up's is the first
   */
  CompletableFuture<Optional<List<WriteResult>>> commit(
      Located counter, Change change, Consumer<WriteBatch> more) {
    return calls.compareAndSet(
        () -> {
          WriteBatch batch = batch(counter, change);
          more.accept(batch);
          return batch.commit();
        });
  }

  private WriteBatch batch(Located counter, Change change) {
    WriteBatch batch = firestore.batch();
    DocumentReference document = document(counter);
    Map<String, Object> fields = change.sum().map(RollupFields::encode).orElseGet(HashMap::new);
    change.liveUntil().ifPresent(end -> fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(end)));
    if (change.expected().isEmpty()) {
      fields.put(RollupFields.COUNTER, counter.document());
      batch.create(document, fields);
      return change.liveUntil().isPresent() ? enter(batch, counter) : batch;
    }
    Precondition version = Times.version(change.expected().orElseThrow());
    return switch (change.kind()) {
      case CREATE, BEGIN -> enter(batch.update(document, fields, version), counter);
      case UPDATE -> batch.update(document, fields, version);
      case END -> {
        fields.put(RollupFields.LIVE_UNTIL, FieldValue.delete());
        yield leave(batch.update(document, fields, version), counter);
      }
      case REMOVE -> leave(batch.delete(document, version), counter);
      case CLEAR -> leave(batch.update(document, NOTHING, version), counter);
    };
  }

  /**
   * Only runs make polled counters live, and know those without a query: so their entries have no
   * time, or each would be found, and billed, at each tick of the next ten seconds.
   */
  private WriteBatch enter(WriteBatch batch, Located counter) {
    return batch.set(
        entries.document(counter),
        entries.fields(counter.document(), /* timed= */ !counter.isIn(polled)),
        SetOptions.merge());
  }

  private WriteBatch leave(WriteBatch batch, Located counter) {
    return batch.delete(entries.document(counter));
  }

  private Optional<Located> located(String document) {
    return layouts()
        .flatMap(
            each ->
                each
                    .counterOfDocument(document)
                    .map(counter -> new Located(each, counter))
                    .stream())
        .findFirst();
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    if (group == Group.POLLED) {
      return shardedCounters.orElseThrow().page(after, limit);
    }
    Query ground = ground(group);
    Query from = after.isEmpty() ? ground : ground.startAfter(firestore.document(after));
    return calls
        .make(() -> from.select(FieldPath.documentId()).limit(limit).get())
        .thenApply(answer -> page(group, answer, limit));
  }

  private Layout layout(Group group) {
    return switch (group) {
      case ROLLUPS, COUNTERS -> layout;
      case POLLED_ROLLUPS, POLLED -> polled.orElseThrow();
    };
  }

  private static boolean isOfRollups(Group group) {
    return group == Group.ROLLUPS || group == Group.POLLED_ROLLUPS;
  }

  /**
   * The collection, if there is only one; else all collections of this name below the pattern's
   * fixed start, which ends in the name of a collection.
   */
  private Query ground(Group group) {
    Layout of = layout(group);
    String name = isOfRollups(group) ? of.rollups() : of.countersCollection();
    Optional<String> parent = of.singleParent();
    if (parent.isPresent()) {
      return firestore
          .collection(parent.get().isEmpty() ? name : parent.get() + "/" + name)
          .orderBy(FieldPath.documentId());
    }
    return PathRange.of(firestore, name, of.fixedStart());
  }

  private Page page(Group group, QuerySnapshot answer, int limit) {
    Layout of = layout(group);
    List<String> paths =
        answer.getDocuments().stream().map(document -> document.getReference().getPath()).toList();
    return new Page(
        paths.stream()
            .map(path -> isOfRollups(group) ? of.counterOfRollup(path) : of.counterOfDocument(path))
            .flatMap(Optional::stream)
            .map(counter -> new Located(of, counter))
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
    if (group == Group.POLLED) {
      return shardedCounters.orElseThrow().isElsewhere(path);
    }
    try {
      ground(group).startAfter(firestore.document(path));
      return false;
    } catch (IllegalArgumentException elsewhere) {
      return true;
    }
  }

  private DocumentReference document(Located counter) {
    return firestore.document(counter.rollup());
  }
}
