package dev.tallyroll.fold;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
import dev.tallyroll.runs.LiveSet;
import dev.tallyroll.runs.LiveStore.Entry;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Folds one worker's busy documents, each once a tick, from its first shard to its last. Where a
 * document has more shards than can be moved until the next tick, this, or the next run of the
 * instance, goes on behind them. A document whose calls fail is passed over for half a LEASE, and
 * one with more than {@value #MOST_STUCK} shards that cannot be moved for a minute: its other
 * increments wait so long, and each of these shards costs two reads a minute and run at the most.
 * Two rollers at once are wasteful but harmless: a batch of one makes that of the other be refused.
 */
public final class FoldRoller extends LiveSet<String, FoldRoller.Live> {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Some 5,000 shards; then other documents have their turn. */
  private static final int MOST_BATCHES = 25;

  /** The way through a document's shards must not take longer. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final int CAPACITY = 10_000;

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
  private final Turns turns = new Turns(FOLDS_AT_ONCE);

  /** By document: the part of the way from its first shard to its last that is behind us. */
  private final Map<String, Way> ways;

  private Instant nextTick = Times.LONG_AGO;
  private boolean stopped;
  private FoldSummary summary = new FoldSummary();

  /** A document on the live list. */
  static final class Live extends LiveSet.Member<String> {
    private boolean failing;

    private Live(Entry<String> entry, Timing timing) {
      super(entry, timing);
    }

    @Override
    protected boolean isFailing() {
      return failing;
    }
  }

  /**
   * A part of the way through a document's shards.
   *
   * @param since when the way began
   */
  private record Way(Folder.Result result, Instant since) {}

  /** What has been done since the last report. */
  private static final class FoldSummary {
    int folds;
    int shards;
    int refused;
    int settled;

    /** Shards that stay, in documents that are looked at once a minute for their sake. */
    int stuck;

    /** Documents on whose shards the way takes too long. */
    final Set<String> overdue = new HashSet<>();

    int failed;
    String cause = "";
  }

  /**
   * Rollers of one instance, by their workers, each for one run.
   *
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public static Runs.Tasks all(
      FoldStore store,
      Set<FieldName> fields,
      Journal journal,
      RunSettings settings,
      Timing timing,
      EventLoop loop) {
    Map<String, Way> ways = Recent.entries(CAPACITY);
    return (worker, isScheduled) ->
        new FoldRoller(store, fields, journal, settings, timing, worker, loop, ways);
  }

  private FoldRoller(
      FoldStore store,
      Set<FieldName> fields,
      Journal journal,
      RunSettings settings,
      Timing timing,
      int worker,
      EventLoop loop,
      Map<String, Way> ways) {
    super(store.liveList(), document -> store.layout().liveId(document), settings, worker, loop);
    this.store = store;
    this.folder = new Folder(store, journal, loop, fields);
    this.journal = journal;
    this.timing = timing;
    this.loop = loop;
    this.worker = worker;
    this.ways = ways;
  }

  /** What the other run still does is harmless. */
  @Override
  public void takeOver() {}

  @Override
  protected Live member(Entry<String> entry) {
    return new Live(entry, timing);
  }

  @Override
  protected CompletableFuture<Void> stop() {
    stopped = true;
    turns.drop();
    return DONE;
  }

  @Override
  protected CompletableFuture<Void> work(Live document) {
    nextTick = timing.nextTick(loop.instant());
    return goOn(document);
  }

  /** Folds the document up to its last shard, if time allows. */
  private CompletableFuture<Void> goOn(Live document) {
    return turns
        .take(() -> fold(document).exceptionally(failure -> failed(document, failure)))
        .thenCompose(none -> hasMore(document) ? goOn(document) : DONE);
  }

  private boolean hasMore(Live document) {
    return !stopped
        && !document.failing
        && ways.containsKey(document.key())
        && loop.instant().isBefore(nextTick);
  }

  private CompletableFuture<Void> fold(Live document) {
    markStarted(document);
    if (!store.layout().holds(document.key())) {
      return remove(document); // it was entered with other settings
    }
    Optional<Way> before = Optional.ofNullable(ways.remove(document.key()));
    return folder
        .fold(document.key(), before.map(way -> way.result().last()).orElse(""), MOST_BATCHES)
        .thenCompose(result -> ended(document, before, result));
  }

  private CompletableFuture<Void> ended(Live document, Optional<Way> before, Folder.Result result) {
    hasWorked();
    document.failing = false;
    summary.folds++;
    summary.shards += result.moved();
    summary.refused += result.refused();
    Folder.Result all = before.map(way -> way.result().then(result)).orElse(result);
    if (!all.last().isEmpty()) {
      Way way = new Way(all, before.map(Way::since).orElseGet(loop::instant));
      ways.put(document.key(), way);
      if (!loop.instant().isBefore(way.since().plus(LONGEST))) {
        summary.overdue.add(document.key());
      }
      return DONE;
    }
    if (all.stuck() > MOST_STUCK) {
      summary.stuck += all.stuck();
      document.waitUntil(loop.instant().plus(MINUTE));
    }
    if (all.found() || !all.isComplete() || !hasLasted(document, all.readTime().orElseThrow())) {
      return DONE;
    }
    summary.settled++;
    return remove(document);
  }

  /** Until then, an instance that has written the entry leaves the document's shards to us. */
  private boolean hasLasted(Live document, Instant readTime) {
    Duration spare = timing.tick().plus(timing.slack());
    return readTime.isAfter(document.begun().updateTime().plus(timing.lease()).plus(spare));
  }

  private Void failed(Live document, Throwable failure) {
    document.failing = true;
    document.waitUntil(loop.instant().plus(loop.jitter(timing.lease().dividedBy(2))));
    summary.cause = failure.toString();
    summary.failed++;
    return null;
  }

  @Override
  protected void report(int live, long missed, int cuts) {
    FoldSummary last = summary;
    summary = new FoldSummary();
    if (last.folds + last.failed + cuts + missed == 0) {
      return;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(Journal.WORKER, worker);
    fields.put("live", live);
    fields.put("folds", last.folds);
    fields.put("shards", last.shards);
    fields.put("refused", last.refused);
    fields.put("settled", last.settled);
    fields.put("stuck", last.stuck);
    fields.put("overdue", last.overdue.size());
    fields.put("late", missed);
    fields.put("cut", cuts);
    fields.put("failed", last.failed);
    if (last.failed > 0) {
      fields.put("cause", last.cause);
    }
    if (!last.overdue.isEmpty()) {
      fields.put("document", last.overdue.iterator().next());
    }
    boolean worrying = last.failed > 0 || cuts > 0 || last.stuck > 0 || !last.overdue.isEmpty();
    journal.write(worrying ? Severity.WARNING : Severity.INFO, "fold summary", fields);
  }
}
