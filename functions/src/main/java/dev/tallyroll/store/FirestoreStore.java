package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupWriter;
import dev.tallyroll.protocol.TotalFields;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Roll-ups of all counters, and their live list, in Cloud Firestore. */
public final class FirestoreStore implements RollupStore {
  /** Run documents and the live list do not wait for the calls of counters. */
  private static final int MOST_RUN_CALLS = 8;

  /** The mark of run documents: these functions keep totals. */
  private static final String MARK = "totals";

  private final Layout layout;
  private final String totalOf;
  private final LiveEntries<Located> entries;
  private final FirestoreRollups rollups;
  private final RollupWriter writer;
  private final FirestoreSums sums;
  private final FirestorePages pages;
  private final RunStore runs;

  /** A store that shows no figures in counters' own documents. */
  public FirestoreStore(Firestore firestore, Layout layout, SumMode sum, Calls calls) {
    this(firestore, layout, sum, Map.of(), calls, (severity, message, fields) -> {});
  }

  /**
   * @param layout of the counters, and of the live list
   * @param fields the figures that counters' own documents show, and where
   * @param journal gets an error for each document in which such a field cannot be written
   */
  public FirestoreStore(
      Firestore firestore,
      Layout layout,
      SumMode sum,
      Map<Figure, FieldName> fields,
      Calls calls,
      Journal journal) {
    this.layout = layout;
    this.totalOf = layout.totalOf();
    Calls runCalls = calls.separate(MOST_RUN_CALLS);
    this.entries =
        new LiveEntries<>(
            firestore,
            layout.liveList(),
            runCalls,
            calls,
            counter -> RollupFields.encode(mark(counter)),
            this::marked,
            Located::liveId);
    this.rollups = new FirestoreRollups(firestore, this::mark, calls, entries);
    this.writer =
        fields.isEmpty()
            ? rollups
            : new TotalFields(
                rollups,
                new OwnDocuments(rollups, firestore, calls, fields),
                fields,
                calls.loop(),
                journal);
    this.sums = new FirestoreSums(firestore, layout, sum, !fields.isEmpty(), calls);
    this.pages = new FirestorePages(firestore, layout, calls);
    this.runs = new FirestoreRuns(firestore, layout.deployment(), MARK, runCalls);
  }

  /** The run documents beside this live list. */
  public RunStore runs() {
    return runs;
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public LiveStore<Located> liveList() {
    return entries;
  }

  /** The counter whose mark an entry carries; empty if it is not ours. */
  private Optional<Located> marked(DocumentSnapshot entry) {
    return entry.get(RollupFields.COUNTER) instanceof String document
        ? layout
            .counterOfDocument(document)
            .map(counter -> new Located(layout, counter))
            .filter(counter -> RollupFields.carries(entry.getData(), mark(counter)))
        : Optional.empty();
  }

  private Mark mark(Located counter) {
    return new Mark(counter.document(), totalOf);
  }

  @Override
  public CompletableFuture<Reading> read(Located counter) {
    return rollups.read(counter);
  }

  @Override
  public CompletableFuture<Optional<Written>> write(Located counter, Change change) {
    return writer.write(counter, change);
  }

  @Override
  public CompletableFuture<Boolean> shows(Located counter, Sum sum) {
    return writer.shows(counter, sum);
  }

  @Override
  public CompletableFuture<Sum> sumOrRemains(Located counter) {
    return sums.sumOrRemains(counter);
  }

  @Override
  public CompletableFuture<Sum> sum(Located counter) {
    return sums.sum(counter);
  }

  @Override
  public CompletableFuture<Optional<Uncounted>> uncounted(Located counter, Sum sum) {
    return sums.uncounted(counter, sum);
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(Located counter) {
    return sums.agesOfShards(counter);
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    return pages.page(group, after, limit);
  }

  @Override
  public boolean canBeginAfter(Group group, String path) {
    return pages.canBeginAfter(group, path);
  }
}
