package dev.tallyroll.fold;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Limiter;
import dev.tallyroll.runs.LiveSet;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Timing;
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
public final class FoldRoller implements LiveSet.Owner<String> {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Some 5,000 shards; then other documents have their turn. */
  private static final int MOST_BATCHES = 25;

  /** The way through a document's shards must not take longer. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final int CAPACITY = 10_000;

  /** How many shards that cannot be moved are read at each tick. */
  private static final int MOST_STUCK = 200;

  /** How many documents are folded at once, since each has shards in memory. */
  private static final int FOLDS_AT_ONCE = 64;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final LiveSet<String> live;
  private final FoldStore store;
  private final Folder folder;
  private final StructuredLog log;
  private final Timing timing;
  private final EventLoop loop;
  private final int worker;
  private final Limiter limiter = new Limiter(FOLDS_AT_ONCE);

  /** By document: the part of the way from its first shard to its last that is behind us. */
  private final Map<String, Way> ways;

  private Instant nextTick = Times.LONG_AGO;
  private boolean stopped;
  private FoldSummary summary = new FoldSummary();

  /** The work on a document of the live list. */
  private final class Live implements LiveSet.Work {
    private final LiveSet.Member<String> member;
    private boolean failing;

    private Live(LiveSet.Member<String> member) {
      this.member = member;
    }

    private String key() {
      return member.key();
    }

    @Override
    public CompletableFuture<Void> once() {
      nextTick = timing.nextTick(loop.instant());
      return goOn(this);
    }

    @Override
    public boolean isFailing() {
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
      StructuredLog log,
      RunSettings settings,
      Timing timing,
      EventLoop loop) {
    Map<String, Way> ways = Recent.entries(CAPACITY);
    return (worker, isScheduled) ->
        new FoldRoller(store, fields, log, settings, timing, worker, loop, ways).live;
  }

  private FoldRoller(
      FoldStore store,
      Set<FieldName> fields,
      StructuredLog log,
      RunSettings settings,
      Timing timing,
      int worker,
      EventLoop loop,
      Map<String, Way> ways) {
    this.live =
        new LiveSet<>(
            this,
            store.liveList(),
            document -> store.layout().liveId(document),
            settings,
            worker,
            loop);
    this.store = store;
    this.folder = new Folder(store, log, loop, fields);
    this.log = log;
    this.timing = timing;
    this.loop = loop;
    this.worker = worker;
    this.ways = ways;
  }

  @Override
  public Timing timing(String document) {
    return timing;
  }

  @Override
  public LiveSet.Work newWork(LiveSet.Member<String> member) {
    return new Live(member);
  }

  @Override
  public CompletableFuture<Void> stop() {
    stopped = true;
    limiter.drop();
    return DONE;
  }

  /** Folds the document up to its last shard, if time allows. */
  private CompletableFuture<Void> goOn(Live document) {
    return limiter
        .run(() -> fold(document).exceptionally(failure -> failed(document, failure)))
        .thenCompose(none -> hasMore(document) ? goOn(document) : DONE);
  }

  private boolean hasMore(Live document) {
    return !stopped
        && !document.failing
        && ways.containsKey(document.key())
        && loop.instant().isBefore(nextTick);
  }

  private CompletableFuture<Void> fold(Live document) {
    document.member.markStarted();
    if (!store.layout().holds(document.key())) {
      return live.remove(document.member); // it was entered with other settings
    }
    Optional<Way> before = Optional.ofNullable(ways.remove(document.key()));
    return folder
        .fold(document.key(), before.map(way -> way.result().last()).orElse(""), MOST_BATCHES)
        .thenCompose(result -> ended(document, before, result));
  }

  private CompletableFuture<Void> ended(Live document, Optional<Way> before, Folder.Result result) {
    live.hasWorked();
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
      document.member.waitUntil(loop.instant().plus(MINUTE));
    }
    if (all.found() || !all.isComplete() || !hasLasted(document, all.readTime().orElseThrow())) {
      return DONE;
    }
    summary.settled++;
    return live.remove(document.member);
  }

  /** Until then, an instance that has written the entry leaves the document's shards to us. */
  private boolean hasLasted(Live document, Instant readTime) {
    Duration spare = timing.tick().plus(timing.slack());
    return readTime.isAfter(document.member.begun().updateTime().plus(timing.lease()).plus(spare));
  }

  private Void failed(Live document, Throwable failure) {
    document.failing = true;
    document.member.waitUntil(loop.instant().plus(loop.jitter(timing.lease().dividedBy(2))));
    summary.cause = failure.toString();
    summary.failed++;
    return null;
  }

  @Override
  public void report(int most, long missed, int cuts) {
    FoldSummary last = summary;
    summary = new FoldSummary();
    if (last.folds + last.failed + cuts + missed == 0) {
      return;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(StructuredLog.WORKER, worker);
    fields.put("live", most);
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
    log.write(worrying ? Severity.WARNING : Severity.INFO, "fold summary", fields);
  }
}
