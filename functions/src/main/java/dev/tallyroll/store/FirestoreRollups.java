package dev.tallyroll.store;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import com.google.common.collect.Iterables;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.RollupFields;
import dev.tallyroll.ShardSums;
import dev.tallyroll.Sum;
import dev.tallyroll.SumMode;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RollupStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Roll-ups and the live list in Cloud Firestore. Its methods must be called on the event loop of
 * its calls, where futures complete, too.
 */
public final class FirestoreRollups implements RollupStore {
  /** More live counters than a worker can tick in time, and a bound on one answer. */
  private static final int MAX_LIVE = 20_000;

  /** The first of all document ids, by Firestore's order: numeric ids come before names. */
  private static final String FIRST_ID = "__id-9223372036854775808__";

  /** Of an entry: the path of the counter's document, as in the mark of its roll-up. */
  private static final String COUNTER = "counter";

  private static final String SINCE = "since";

  /** Where the client library keeps the names of increments, below a counter, for some days. */
  private static final String INCREMENT_NAMES = CounterOptions.DEFAULT.increments();

  private static final Map<String, Object> NOTHING =
      RollupFields.OURS.stream()
          .collect(Collectors.toMap(field -> field, field -> FieldValue.delete()));

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;
  private final ShardSums sums;

  public FirestoreRollups(Firestore firestore, Layout layout, SumMode sum, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
    this.sums = new ShardSums(sum, layout.countField());
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
                    Times.instant(document.getReadTime())));
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

  private CollectionReference shards(CounterPath counter) {
    return firestore.collection(layout.shardsCollection(counter));
  }

  /**
   * Whether nothing is where a counter's shards are expected, nor where wrong settings would miss
   * them: in another collection below its document.
   */
  private CompletableFuture<Boolean> hasGone(CounterPath counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(1).get())
        .thenCompose(
            any ->
                any.isEmpty()
                    ? hasNoOtherCollection(firestore.document(layout.counterDocument(counter)))
                    : CompletableFuture.completedFuture(false));
  }

  /** The client offers this call in a form that blocks only, so it is made on another thread. */
  private static CompletableFuture<Boolean> hasNoOtherCollection(DocumentReference counter) {
    return CompletableFuture.supplyAsync(
        () ->
            Iterables.all(
                counter.listCollections(),
                collection -> collection.getId().equals(INCREMENT_NAMES)));
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    return calls
        .compareAndSet(() -> batch(counter, change).commit())
        .thenApply(results -> results.map(FirestoreRollups::updateTime));
  }

  /** The roll-up's own write comes first. */
  private static Instant updateTime(List<WriteResult> results) {
    return Times.instant(results.get(0).getUpdateTime());
  }

  private WriteBatch batch(CounterPath counter, Change change) {
    WriteBatch batch = firestore.batch();
    DocumentReference document = document(counter);
    if (change instanceof Change.Create create) {
      Map<String, Object> fields = RollupFields.encode(create.sum());
      fields.put(RollupFields.COUNTER, layout.counterDocument(counter));
      fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(create.liveUntil()));
      return enter(batch.create(document, fields), counter);
    }
    if (change instanceof Change.Update update) {
      Map<String, Object> fields = update.sum().map(RollupFields::encode).orElseGet(HashMap::new);
      if (update.lease() instanceof LeaseChange.Begin begin) {
        fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(begin.until()));
        return enter(batch.update(document, fields, Times.version(update.expected())), counter);
      }
      if (update.lease() instanceof LeaseChange.Renew renew) {
        fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(renew.until()));
      }
      if (update.lease() instanceof LeaseChange.End) {
        fields.put(RollupFields.LIVE_UNTIL, FieldValue.delete());
        return leave(batch.update(document, fields, Times.version(update.expected())), counter);
      }
      return batch.update(document, fields, Times.version(update.expected()));
    }
    Change.Remove remove = (Change.Remove) change;
    return leave(
        remove.whole()
            ? batch.delete(document, Times.version(remove.expected()))
            : batch.update(document, NOTHING, Times.version(remove.expected())),
        counter);
  }

  private WriteBatch enter(WriteBatch batch, CounterPath counter) {
    return batch.set(
        firestore.document(layout.liveEntry(counter)),
        Map.of(COUNTER, layout.counterDocument(counter), SINCE, FieldValue.serverTimestamp()),
        SetOptions.merge());
  }

  private WriteBatch leave(WriteBatch batch, CounterPath counter) {
    return batch.delete(firestore.document(layout.liveEntry(counter)));
  }

  @Override
  public CompletableFuture<LiveList> live(Part part) {
    Query all = entries().orderBy(FieldPath.documentId());
    return live(all.startAt(part.from()).endBefore(part.to()));
  }

  @Override
  public CompletableFuture<LiveList> liveSince(Instant since) {
    return live(entries().whereGreaterThan(SINCE, Times.timestamp(since)));
  }

  private CollectionReference entries() {
    return firestore.collection(layout.liveList());
  }

  private CompletableFuture<LiveList> live(Query query) {
    return calls
        .make(() -> query.limit(MAX_LIVE).get())
        .thenApply(
            answer ->
                new LiveList(
                    answer.getDocuments().stream().flatMap(this::entry).toList(),
                    Times.instant(answer.getReadTime()),
                    answer.size() == MAX_LIVE));
  }

  /** None for a document that is not the entry of a counter of this layout. */
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
    boolean rollups = group == Group.ROLLUPS;
    String name = rollups ? layout.rollups() : layout.countersCollection();
    Query ordered = ground(name).orderBy(FieldPath.documentId()).limit(limit);
    Query fields =
        rollups ? ordered.select(RollupFields.COUNTER) : ordered.select(FieldPath.documentId());
    Query page = after.isEmpty() ? start(fields) : fields.startAfter(firestore.document(after));
    return calls.make(() -> end(page).get()).thenApply(answer -> page(rollups, answer, limit));
  }

  /** The one collection where there is but one; else all of that name. */
  private Query ground(String name) {
    return layout
        .singleParent()
        .<Query>map(parent -> firestore.collection(parent.isEmpty() ? name : parent + "/" + name))
        .orElseGet(() -> firestore.collectionGroup(name));
  }

  /** Below the pattern's fixed start, which ends in the name of a collection. */
  private Query start(Query group) {
    return isBetweenNames() ? group.startAt(first(layout.fixedStart())) : group;
  }

  private Query end(Query group) {
    return isBetweenNames() ? group.endBefore(first(layout.fixedStart() + '\0')) : group;
  }

  private boolean isBetweenNames() {
    return layout.singleParent().isEmpty() && !layout.fixedStart().isEmpty();
  }

  private DocumentReference first(String collection) {
    return firestore.collection(collection).document(FIRST_ID);
  }

  private Page page(boolean rollups, QuerySnapshot answer, int limit) {
    List<QueryDocumentSnapshot> documents = answer.getDocuments();
    boolean more = documents.size() == limit;
    return new Page(
        documents.stream().flatMap(rollups ? this::ofRollup : this::ofDocument).toList(),
        documents.size(),
        documents.stream().flatMap(this::otherMark).findFirst(),
        more ? documents.get(limit - 1).getReference().getPath() : "");
  }

  /** None for a document that does not carry the mark of its own counter. */
  private Stream<CounterPath> ofRollup(QueryDocumentSnapshot document) {
    return layout.counterOfRollup(document.getReference().getPath()).stream()
        .filter(
            counter -> layout.counterDocument(counter).equals(document.get(RollupFields.COUNTER)));
  }

  private Stream<CounterPath> ofDocument(QueryDocumentSnapshot document) {
    return layout.counterOfDocument(document.getReference().getPath()).stream();
  }

  private Stream<String> otherMark(QueryDocumentSnapshot document) {
    return document.get(RollupFields.COUNTER) instanceof String mark
            && layout.counterOfDocument(mark).isEmpty()
        ? Stream.of(mark)
        : Stream.empty();
  }

  private DocumentReference document(CounterPath counter) {
    return firestore.document(layout.rollupDocument(counter));
  }
}
