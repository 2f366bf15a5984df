package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.Entry;
import dev.tallyroll.fold.FoldStore.LiveList;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.LiveWork;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Folds one worker's busy documents, each once a tick, while the one before has ended. A document
 * whose calls fail is passed over for half a LEASE, and one with more than {@value #MOST_STUCK}
 * shards that cannot be moved for a minute: its other increments wait so long, and each of these
 * shards costs two reads a minute and run at the most. Two rollers at once are wasteful but
 * harmless: a batch of one makes that of the other be refused.
 */
public final class FoldRoller implements LiveWork {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Some 5,000 shards; the next tick continues after them. */
  private static final int MOST_BATCHES = 25;

  /** So many shards are read at each tick, although they cannot be moved. */
  private static final int MOST_STUCK = 200;

  /** How many documents are folded at once, since each has shards in memory. */
  private static final int FOLDS_AT_ONCE = 64;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final Folder folder;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final int worker;
  private final Part part;
  private final Map<String, Live> live = new HashMap<>();
  private final Turns turns = new Turns(FOLDS_AT_ONCE);
  private FoldSummary summary = new FoldSummary();
  private Instant nextSummary;
  private Instant lastQuery = Instant.MIN;
  private boolean achieved;

  /** A document on the live list. */
  private static final class Live {
    /** As it was found last. */
    Entry entry;

    /** What was folded before, on the way from the first shard to the last. */
    Optional<Folder.Result> before = Optional.empty();

    /** Completed when no call for it is under way or waits. */
    CompletableFuture<Void> folding = DONE;

    boolean failing;

    /** By the loop's clock: the roller passes over it until then. */
    Instant notBefore = Instant.MIN;

    Live(Entry entry) {
      this.entry = entry;
    }
  }

  /** What has been done since the last report. */
  private static final class FoldSummary {
    int live;
    int folds;
    int shards;
    int refused;
    int settled;

    /** Shards that stay, in documents that are looked at once a minute for their sake. */
    int stuck;

    long late;
    int cut;
    int failed;
    String cause = "";
  }

  /**
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public FoldRoller(
      FoldStore store,
      Set<List<String>> fields,
      Journal journal,
      RunSettings settings,
      int worker,
      EventLoop loop) {
    this.store = store;
    this.folder = new Folder(store, journal, loop, fields);
    this.journal = journal;
    this.timing = settings.timing();
    this.loop = loop;
    this.worker = worker;
    this.part = Part.of(worker, settings.workers());
    this.nextSummary = loop.instant().plus(MINUTE);
  }

  @Override
  public Part part() {
    return part;
  }

  @Override
  public boolean isIdle() {
    return live.values().stream().allMatch(document -> document.failing);
  }

  @Override
  public boolean hasAchieved() {
    return achieved;
  }

  /** What the other run still does is harmless. */
  @Override
  public void takeOver() {}

  @Override
  public CompletableFuture<Void> fill() {
    return store.live(part).thenAccept(this::take);
  }

  @Override
  public CompletableFuture<Void> findNew() {
    Instant since = lastQuery.minus(timing.slack()).minus(Timing.LONGEST_CALL);
    return store.liveSince(since).thenAccept(found -> take(found).forEach(this::fold));
  }

  @Override
  public void tick(long ticksMissed) {
    summary.late += ticksMissed;
    if (!loop.instant().isBefore(nextSummary)) {
      nextSummary = loop.instant().plus(MINUTE);
      report();
    }
    List.copyOf(live.values()).forEach(this::fold);
  }

  @Override
  public CompletableFuture<Void> drained() {
    turns.drop();
    return CompletableFuture.allOf(
            live.values().stream()
                .map(document -> document.folding)
                .toArray(CompletableFuture<?>[]::new))
        .thenRun(this::report);
  }

  /** Gives those that are new to this run. */
  private List<Live> take(LiveList found) {
    lastQuery = found.readTime().isAfter(lastQuery) ? found.readTime() : lastQuery;
    summary.cut += found.cut() ? 1 : 0;
    List<Live> added = new ArrayList<>();
    for (Entry entry : found.entries()) {
      Live known = live.get(entry.document());
      if (known != null) {
        known.entry = entry.updateTime().isAfter(known.entry.updateTime()) ? entry : known.entry;
      } else if (part.holds(store.layout().liveId(entry.document()))) {
        Live document = new Live(entry);
        live.put(entry.document(), document);
        added.add(document);
      }
    }
    summary.live = Math.max(summary.live, live.size());
    return added;
  }

  private void fold(Live document) {
    if (document.folding.isDone() && !loop.instant().isBefore(document.notBefore)) {
      document.folding =
          turns.take(() -> begin(document).exceptionally(failure -> failed(document, failure)));
    }
  }

  private CompletableFuture<Void> begin(Live document) {
    Entry entry = document.entry;
    if (!store.layout().holds(entry.document())) {
      return remove(document, entry); // it was entered with other settings
    }
    String after = document.before.map(Folder.Result::last).orElse("");
    return folder
        .fold(entry.document(), after, MOST_BATCHES)
        .thenCompose(result -> ended(document, entry, result));
  }

  private CompletableFuture<Void> ended(Live document, Entry entry, Folder.Result result) {
    achieved = true;
    document.failing = false;
    summary.folds++;
    summary.shards += result.moved();
    summary.refused += result.refused();
    Folder.Result all = document.before.map(before -> before.then(result)).orElse(result);
    document.before = Optional.of(all).filter(it -> !it.last().isEmpty());
    if (document.before.isEmpty() && all.stuck() > MOST_STUCK) {
      summary.stuck += all.stuck();
      document.notBefore = loop.instant().plus(MINUTE);
    }
    if (all.found() || !all.isComplete() || !hasLasted(entry, all.readTime().orElseThrow())) {
      return DONE;
    }
    summary.settled++;
    return remove(document, entry);
  }

  private CompletableFuture<Void> remove(Live document, Entry entry) {
    return store
        .remove(entry)
        .thenRun(
            () -> {
              if (document.entry.equals(entry)) {
                live.remove(entry.document());
              }
            });
  }

  /** Until then, an instance that has written the entry leaves the document's shards to us. */
  private boolean hasLasted(Entry entry, Instant readTime) {
    Duration spare = timing.tick().plus(timing.slack());
    return readTime.isAfter(entry.updateTime().plus(timing.lease()).plus(spare));
  }

  private Void failed(Live document, Throwable failure) {
    document.failing = true;
    document.notBefore = loop.instant().plus(loop.jitter(timing.lease().dividedBy(2)));
    summary.cause = failure.toString();
    summary.failed++;
    return null;
  }

  private void report() {
    FoldSummary last = summary;
    summary = new FoldSummary();
    summary.live = live.size();
    if (last.folds + last.failed + last.cut + last.late == 0) {
      return;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(Journal.WORKER, worker);
    fields.put("live", last.live);
    fields.put("folds", last.folds);
    fields.put("shards", last.shards);
    fields.put("refused", last.refused);
    fields.put("settled", last.settled);
    fields.put("stuck", last.stuck);
    fields.put("late", last.late);
    fields.put("cut", last.cut);
    fields.put("failed", last.failed);
    if (last.failed > 0) {
      fields.put("cause", last.cause);
    }
    boolean worrying = last.failed > 0 || last.cut > 0 || last.stuck > 0;
    journal.write(worrying ? Severity.WARNING : Severity.INFO, "fold summary", fields);
  }
}
