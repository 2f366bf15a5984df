package dev.tallyroll.store;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.WriteResult;
import com.google.common.collect.Lists;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.RollupFields;
import dev.tallyroll.ShardSums;
import dev.tallyroll.Sum;
import dev.tallyroll.SumMode;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.RollupStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Roll-ups in Cloud Firestore. Safe for use by many threads; futures complete on the loop. */
public final class FirestoreRollups implements RollupStore {
  /** More live counters than a worker can tick in time, and a bound on one answer. */
  private static final int MAX_LIVE = 20_000;

  /** How many values Firestore takes in one {@code in}. */
  private static final int MOST_IN = 30;

  private static final Map<String, Object> NOTHING =
      RollupFields.OURS.stream()
          .collect(Collectors.toMap(field -> field, field -> FieldValue.delete()));

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;
  private final ShardSums sums;

  public FirestoreRollups(Firestore firestore, Layout layout, SumMode sum, EventLoop loop) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = new Calls("Firestore", loop);
    this.sums = new ShardSums(sum, layout.countField());
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    return calls
        .bring(document(counter).get())
        .thenApply(
            document ->
                new Reading(
                    RollupFields.decode(document, layout.counterDocument(counter)),
                    Times.instant(document.getReadTime())));
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    return calls.bring(sums.sum(firestore.collection(layout.shardsCollection(counter))));
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    return calls.compareAndSet(start(counter, change));
  }

  private ApiFuture<WriteResult> start(CounterPath counter, Change change) {
    DocumentReference document = document(counter);
    if (change instanceof Change.Create create) {
      Map<String, Object> fields = RollupFields.encode(create.sum());
      fields.put(RollupFields.COUNTER, layout.counterDocument(counter));
      fields.putAll(RollupFields.encode(create.lease()));
      return document.create(fields);
    }
    if (change instanceof Change.Update update) {
      Map<String, Object> fields = update.sum().map(RollupFields::encode).orElseGet(HashMap::new);
      fields.putAll(encode(update.lease()));
      return document.update(fields, Times.version(update.expected()));
    }
    if (change instanceof Change.Leave leave) {
      return document.update(NOTHING, Times.version(leave.expected()));
    }
    return document.delete(Times.version(((Change.Delete) change).expected()));
  }

  private static Map<String, Object> encode(LeaseChange change) {
    if (change instanceof LeaseChange.Set set) {
      return RollupFields.encode(set.lease());
    }
    return change instanceof LeaseChange.Remove
        ? Map.of(
            RollupFields.LIVE_UNTIL,
            FieldValue.delete(),
            RollupFields.LIVE_LANE,
            FieldValue.delete())
        : Map.of();
  }

  /** Served, as {@link #liveAfter} is, by the composite index of both fields. */
  @Override
  public CompletableFuture<LiveList> live() {
    return live(rollups().orderBy(RollupFields.LIVE_LANE).orderBy(RollupFields.LIVE_UNTIL));
  }

  @Override
  public CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes) {
    Query later = rollups().whereGreaterThan(RollupFields.LIVE_UNTIL, Times.timestamp(after));
    return Lists.partition(lanes, MOST_IN).stream()
        .map(some -> later.whereIn(RollupFields.LIVE_LANE, some).orderBy(RollupFields.LIVE_UNTIL))
        .map(this::live)
        .reduce((one, other) -> one.thenCombine(other, LiveList::and))
        .orElseThrow();
  }

  private Query rollups() {
    return firestore.collectionGroup(layout.rollups());
  }

  private CompletableFuture<LiveList> live(Query query) {
    return calls
        .bring(query.limit(MAX_LIVE).get())
        .thenApply(
            answer ->
                new LiveList(
                    answer.getDocuments().stream().flatMap(this::live).toList(),
                    Times.instant(answer.getReadTime())));
  }

  /** None for a document that is not beside any counters of this layout. */
  private Stream<Live> live(QueryDocumentSnapshot rollup) {
    return layout.counterOfRollup(rollup.getReference().getPath()).stream()
        .map(
            counter ->
                new Live(
                    counter,
                    RollupFields.decode(rollup, layout.counterDocument(counter)).orElseThrow()));
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    boolean rollups = group == Group.ROLLUPS;
    Query all =
        firestore
            .collectionGroup(rollups ? layout.rollups() : layout.countersCollection())
            .orderBy(FieldPath.documentId())
            .limit(limit);
    Query page = after.isEmpty() ? all : all.startAfter(firestore.document(after));
    return calls.bring(page.get()).thenApply(answer -> page(rollups, answer, limit));
  }

  private Page page(boolean rollups, QuerySnapshot answer, int limit) {
    List<QueryDocumentSnapshot> documents = answer.getDocuments();
    boolean more = documents.size() == limit;
    return new Page(
        documents.stream().flatMap(rollups ? this::rollup : this::counter).toList(),
        more ? documents.get(limit - 1).getReference().getPath() : "");
  }

  private Stream<Found> rollup(QueryDocumentSnapshot document) {
    return live(document).map(live -> new Found(live.counter(), Optional.of(live.rollup())));
  }

  private Stream<Found> counter(QueryDocumentSnapshot document) {
    return layout.counterOfDocument(document.getReference().getPath()).stream()
        .map(counter -> new Found(counter, Optional.empty()));
  }

  private DocumentReference document(CounterPath counter) {
    return firestore.document(layout.rollupDocument(counter));
  }
}
