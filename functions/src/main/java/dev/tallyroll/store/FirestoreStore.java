package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupWriter;
import dev.tallyroll.protocol.TotalFields;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Roll-ups of the counters of all entries, and their live list, in Cloud Firestore. */
public final class FirestoreStore implements RollupStore {
  /** Run documents and the live list do not wait for the calls of counters. */
  private static final int MOST_RUN_CALLS = 8;

  /** The mark of run documents: these functions keep totals. */
  private static final String MARK = "totals";

  /** Says in the live list whose an entry is, for people. */
  private static final String ENTRY = "entry";

  private final List<Entry> entries;
  private final LiveEntries<CounterId> liveList;
  private final FirestoreRollups rollups;
  private final RollupWriter writer;
  private final FirestoreSums sums;
  private final FirestorePages pages;
  private final RunStore runs;

  /**
   * @param entries what is counted
   * @param deployment the name that the live list and the run documents have
   * @param journal gets an error for each field of an app's document that cannot be written
   */
  public FirestoreStore(
      Firestore firestore, List<Entry> entries, String deployment, Calls calls, Journal journal) {
    this.entries = List.copyOf(entries);
    Calls runCalls = calls.separate(MOST_RUN_CALLS);
    this.liveList =
        new LiveEntries<>(
            firestore,
            Layout.liveList(deployment),
            runCalls,
            calls,
            FirestoreStore::about,
            this::marked,
            CounterId::liveId);
    this.rollups = new FirestoreRollups(firestore, calls, liveList);
    this.writer =
        new TotalFields(
            rollups, new OwnDocuments(rollups, firestore, calls), calls.loop(), journal);
    this.sums = new FirestoreSums(firestore, calls);
    this.pages = new FirestorePages(firestore, calls);
    this.runs = new FirestoreRuns(firestore, deployment, MARK, runCalls);
  }

  /** The run documents beside this live list. */
  public RunStore runs() {
    return runs;
  }

  @Override
  public List<Entry> entries() {
    return entries;
  }

  @Override
  public LiveStore<CounterId> liveList() {
    return liveList;
  }

  private static Map<String, Object> about(CounterId counter) {
    Map<String, Object> fields = new HashMap<>(RollupFields.encode(counter.mark()));
    fields.put(ENTRY, counter.entry().name());
    return fields;
  }

  /**
   * The counter whose mark a document of the live list carries, and whose place it is in; empty if
   * it is of no entry that has events. The name of the entry does not matter: it may have another
   * by now.
   */
  private Optional<CounterId> marked(DocumentSnapshot listed) {
    return listed.get(RollupFields.COUNTER) instanceof String document
        ? entries.stream()
            .filter(Entry::hasEvents)
            .filter(entry -> entry.totalOf().equals(listed.get(RollupFields.TOTAL_OF)))
            .flatMap(entry -> entry.counterOfDocument(document).stream())
            .filter(counter -> counter.liveId().equals(listed.getId()))
            .findFirst()
        : Optional.empty();
  }

  @Override
  public CompletableFuture<Reading> read(CounterId counter) {
    return rollups.read(counter);
  }

  @Override
  public CompletableFuture<Optional<Written>> write(CounterId counter, Change change) {
    return writer.write(counter, change);
  }

  @Override
  public CompletableFuture<Boolean> shows(CounterId counter, Sum sum) {
    return writer.shows(counter, sum);
  }

  @Override
  public CompletableFuture<Sum> sumOrRemains(CounterId counter) {
    return sums.sumOrRemains(counter);
  }

  @Override
  public CompletableFuture<Sum> sum(CounterId counter) {
    return sums.sum(counter);
  }

  @Override
  public CompletableFuture<Optional<Uncounted>> uncounted(CounterId counter, Sum sum) {
    return sums.uncounted(counter, sum);
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(CounterId counter) {
    return sums.agesOfShards(counter);
  }

  @Override
  public CompletableFuture<Page> page(Entry entry, Group group, String after, int limit) {
    return pages.page(entry, group, after, limit);
  }

  @Override
  public boolean canBeginAfter(Entry entry, Group group, String path) {
    return pages.canBeginAfter(entry, group, path);
  }
}
