package dev.tallyroll.protocol;

import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.CounterPages.CounterPage;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.Cycle.Changed;
import dev.tallyroll.protocol.Cycle.PassedOver;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.RunState;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.WorkerRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One look of a run at its worker's counters of an entry, whose writes make no events: sums each,
 * and writes the totals that have changed.
 *
 * <p>It reads the list, or takes the counters of the last list. One that reads the list looks at no
 * more than so many; if it ends before the list does, the next goes on there.
 *
 * <p>A counter whose calls take long gives its place to another, and the next polls pass over it
 * until they have ended.
 */
final class Poll implements Pass.Pages<CounterId> {
  /** How many counters a page has; fewer each time that it fails. */
  private static final List<Integer> PAGES = List.of(300, 30, 3);

  /** How many counters are read, summed and written at once. */
  private static final int AT_ONCE = 100;

  /** How long a counter keeps its place among those. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** How many a list keeps. To sum more takes a minute, and then the list is read again anyway. */
  private static final int MOST_LISTED = 60_000;

  /** A pass through the list must not take longer. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /**
   * All polls of one entry and worker in this instance share this: each leaves here what the next
   * needs.
   */
  static final class PollState {
    private static final int CAPACITY = 20_000;

    final CounterStore store;
    final Entry entry;

    /** Where the place of an unfinished poll is kept. */
    private final RunStore places;

    final StructuredLog log;
    final RunSettings settings;
    final int worker;
    final EventLoop loop;

    /** Roll-ups, as a poll has left them. */
    private final Map<CounterId, Rollup> memory = Recent.entries(CAPACITY);

    /**
     * The counters still to sum, each with the poll that has named it last: a list names one that
     * has lost its shards only once, so a sum counts only if it began after that.
     */
    private final Map<CounterId, Poll> unfinished = new LinkedHashMap<>();

    /** The counters whose calls are under way. */
    private final Map<CounterId, CompletableFuture<Void>> working = new HashMap<>();

    private Optional<Listed> list = Optional.empty();

    /** How many calls have failed since the last report. */
    private int failed;

    private String cause = "";

    PollState(
        CounterStore store,
        Entry entry,
        RunStore places,
        StructuredLog log,
        RunSettings settings,
        int worker,
        EventLoop loop) {
      this.store = store;
      this.entry = entry;
      this.places = places;
      this.log = log;
      this.settings = settings;
      this.worker = worker;
      this.loop = loop;
    }

    private void name(CounterId counter, Poll by) {
      if (unfinished.size() < CAPACITY || unfinished.containsKey(counter)) {
        unfinished.put(counter, by);
      }
    }

    WorkerRange range() {
      return WorkerRange.of(worker, settings.workers());
    }

    /** Whether the last list has a counter. */
    boolean hasAny() {
      return list.filter(last -> !last.counters().isEmpty()).isPresent();
    }

    /** Whether the last list has a counter, and lacks none. */
    boolean hasAll() {
      return hasAny() && list.orElseThrow().isWhole();
    }

    /** Whether all counters were listed within a minute. */
    boolean isListFresh() {
      return list.filter(last -> last.isFresh(loop.instant())).isPresent();
    }

    /** Completes when no calls are under way. */
    CompletableFuture<Void> worked() {
      return CompletableFuture.allOf(working.values().toArray(CompletableFuture<?>[]::new));
    }
  }

  /**
   * The counters of a worker that a poll has found in the list.
   *
   * @param isWhole whether the list has no others
   * @param at when the poll that read it began, by the loop's clock
   */
  private record Listed(List<CounterId> counters, boolean isWhole, Instant at) {
    boolean isFresh(Instant now) {
      return isWhole && now.isBefore(at.plus(RunSettings.SCHEDULE));
    }
  }

  private final PollState kept;
  private final CounterStore store;
  private final Timing timing;
  private final Cycles cycles;
  private final Reports reports;
  private final Instant begun;

  /** The counters to take, at first those that earlier polls have left unfinished. */
  private final Set<CounterId> left;

  /** Empty if this poll reads the list. */
  private final Optional<Listed> listed;

  /** The counters that another poll sums meanwhile. */
  private final Set<CounterId> others;

  /** The first counters that this poll has taken. */
  private final List<CounterId> found = new ArrayList<>();

  private int taken;
  private final Pass<CounterId> pass;
  private CompletableFuture<Void> all = DONE;
  private int budget;
  private boolean hasWorked;

  /**
   * One that reads the list.
   *
   * @param beside whether another sums the counters of the last list meanwhile
   */
  static Poll ofList(PollState kept, boolean beside) {
    List<CounterId> others = beside ? kept.list.orElseThrow().counters() : List.of();
    return new Poll(kept, Optional.empty(), Set.copyOf(others));
  }

  /** One of the counters of the last list. */
  static Poll ofKnown(PollState kept) {
    return new Poll(kept, kept.list, Set.of());
  }

  private Poll(PollState kept, Optional<Listed> listed, Set<CounterId> others) {
    this.kept = kept;
    this.store = kept.store;
    this.timing = kept.entry.timing();
    this.reports = new Reports(kept.log);
    this.cycles = new Cycles(store, kept.loop, reports);
    this.begun = kept.loop.instant();
    this.left = new LinkedHashSet<>(kept.unfinished.keySet());
    this.budget = kept.settings.looks();
    this.listed = listed;
    this.others = others;
    this.pass = new Pass<>(this, new Unclaimed(), kept.loop, AT_ONCE, kept.settings.sweep());
  }

  /**
   * Begins, once. Costs, once a minute, a read for its place, a read for each counter of all
   * workers, at least one, and those of {@link CounterPages#page}'s first page; for each of this
   * worker's, a sum and a read, or a write if its total has changed. Failures are journalled.
   */
  void begin() {
    all =
        pass.run()
            .thenAccept(this::ended)
            .exceptionally(this::failed) // its place could not be read, or kept
            .thenRun(this::report);
  }

  /** Completes when all counters have begun, and have ended or taken longer than a second. */
  CompletableFuture<Void> all() {
    return all;
  }

  boolean isDone() {
    return all.isDone();
  }

  /** Leaves what has not begun to the next run; completes when what has begun has ended. */
  CompletableFuture<Void> stop() {
    pass.stop();
    return all.thenCompose(none -> kept.worked());
  }

  @Override
  public List<String> groups() {
    return List.of(Group.WITH_SHARDS.name());
  }

  @Override
  public boolean canBeginAfter(String group, String after) {
    return store.pages().canBeginAfter(kept.entry, Group.WITH_SHARDS, after);
  }

  @Override
  public boolean isSpent() {
    return budget <= 0;
  }

  @Override
  public CompletableFuture<Pass.Page<CounterId>> page(String group, String after, int failures) {
    if (listed.isPresent()) {
      listed.get().counters().forEach(this::take);
      return CompletableFuture.completedFuture(taken(""));
    }
    return store
        .pages()
        .page(kept.entry, Group.WITH_SHARDS, after, Math.min(PAGES.get(failures), budget))
        .whenComplete(
            (page, failure) -> kept.cause = failure == null ? kept.cause : failure.toString())
        .thenApply(this::ofWorker);
  }

  private Pass.Page<CounterId> ofWorker(CounterPage page) {
    budget -= page.looked();
    page.counters().stream().filter(this::isOfWorker).forEach(this::take);
    return taken(page.last());
  }

  private void take(CounterId counter) {
    left.add(counter);
    kept.name(counter, this);
  }

  private Pass.Page<CounterId> taken(String last) {
    taken += left.size();
    left.stream().limit(MOST_LISTED - found.size()).forEach(found::add);
    left.removeAll(others);
    List<CounterId> counters = List.copyOf(left);
    left.clear();
    return new Pass.Page<>(counters, last);
  }

  private boolean isOfWorker(CounterId counter) {
    return kept.range().holds(counter.liveId());
  }

  @Override
  public CompletableFuture<Void> work(CounterId counter) {
    if (kept.working.containsKey(counter)) {
      return DONE;
    }
    CompletableFuture<Void> polled = poll(counter).exceptionally(this::failed);
    if (polled.isDone()) {
      return DONE;
    }
    kept.working.put(counter, polled);
    return CompletableFuture.anyOf(
            polled.thenRun(() -> kept.working.remove(counter)), kept.loop.after(PATIENCE))
        .thenApply(first -> null);
  }

  /** A poll claims nothing, since two at once are harmless. */
  private final class Unclaimed implements Pass.Bookmark {
    private Optional<RunState> before = Optional.empty();

    @Override
    public CompletableFuture<Pass.Opened> open() {
      if (listed.isPresent()) {
        return CompletableFuture.completedFuture(
            new Pass.Opened(/* isFree= */ true, Optional.empty(), begun));
      }
      return kept.places
          .read(job())
          .thenApply(
              state -> {
                before = Optional.of(state);
                return new Pass.Opened(/* isFree= */ true, state.place(), state.readTime());
              });
    }

    private String job() {
      return "poll-" + kept.worker + "-" + kept.entry.name();
    }

    @Override
    public CompletableFuture<Boolean> keep(Place place) {
      return CompletableFuture.completedFuture(true);
    }

    /** If this is refused, another poll has kept a place. */
    @Override
    public CompletableFuture<Void> leave(Place place) {
      if (before.isEmpty()) {
        return DONE; // the list is that of the poll before
      }
      RunState state = before.get();
      return state.isForeign() || state.place().equals(Optional.of(place))
          ? DONE
          : kept.places.savePlace(job(), place, state.updateTime()).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<Void> close(Place end) {
      return before
          .filter(state -> state.place().isPresent())
          .flatMap(RunState::updateTime)
          .map(version -> kept.places.release(job(), version).<Void>thenApply(done -> null))
          .orElse(DONE);
    }
  }

  private void ended(Pass.End end) {
    boolean isAll = end == Pass.End.COMPLETE && pass.isWhole() && taken == found.size();
    if (listed.isEmpty() && (isAll || !found.isEmpty())) {
      kept.list = Optional.of(new Listed(List.copyOf(found), isAll, begun));
    }
    Duration lasted = pass.age();
    if (lasted.compareTo(LONGEST) >= 0) {
      kept.log.write(
          Severity.ERROR,
          "a poll of all counters takes more than ten minutes: raise SWEEP_COUNTERS or WORKERS, or"
              + " look why calls fail",
          fields("seconds", lasted.toSeconds()));
    } else if (end == Pass.End.LEFT && isSpent()) {
      kept.log.write(
          Severity.WARNING,
          "more counters than SWEEP_COUNTERS: the next poll goes on with the others",
          fields("seconds", lasted.toSeconds()));
    } else if (end == Pass.End.LEFT && !kept.cause.isEmpty()) {
      kept.failed++;
    }
  }

  private CompletableFuture<Void> poll(CounterId counter) {
    Optional<Rollup> known = Optional.ofNullable(kept.memory.get(counter));
    if (known
        .filter(last -> timing.nextSum(last.shards(), last.asOf()).isAfter(kept.loop.instant()))
        .isPresent()) {
      return DONE;
    }
    Optional<Poll> named = Optional.ofNullable(kept.unfinished.get(counter));
    return cycles
        .run(
            counter,
            Cycle.begin(PollPolicy.of(timing, known), known),
            (before, after) -> {
              if (before instanceof Cycle.ToSum) {
                after.sum().ifPresent(sum -> reports.check(counter, sum));
              }
            })
        .thenAccept(cycle -> end(counter, named, cycle));
  }

  /**
   * @param named the poll that had named the counter last when the cycle began
   */
  private void end(CounterId counter, Optional<Poll> named, Cycle<PollPolicy> cycle) {
    hasWorked = true;
    if (!(cycle instanceof Cycle.GivenUp)) {
      named.ifPresent(by -> kept.unfinished.remove(counter, by));
    }
    lastRollup(cycle)
        .ifPresentOrElse(
            rollup -> kept.memory.put(counter, rollup), () -> kept.memory.remove(counter));
    if (cycle instanceof PassedOver<PollPolicy> passed && passed.isForeign()) {
      reports.taken(counter, passed.reading());
    }
  }

  /** The roll-up that a cycle has left, or found; the next poll may begin there. */
  static Optional<Rollup> lastRollup(Cycle<PollPolicy> cycle) {
    if (cycle instanceof PassedOver<PollPolicy> passed && passed.isForeign()) {
      return Optional.empty();
    }
    return cycle instanceof Changed<PollPolicy> changed ? changed.result() : cycle.stored();
  }

  /**
   * The policy of a poll's cycles. A poll that is refused does not insist, since somebody else has
   * just summed the counter.
   *
   * <p>A roll-up is most probably as the last poll has left it. A write at that version costs no
   * read, and is refused if it is not. But a sum that is equal to it says nothing before a read.
   *
   * @param believed whether the roll-up that is known was only remembered
   * @param equal the version that a sum was equal to
   */
  record PollPolicy(Timing timing, boolean believed, Optional<Instant> equal)
      implements Cycle.Policy<PollPolicy> {
    static PollPolicy of(Timing timing, Optional<Rollup> known) {
      return new PollPolicy(timing, known.isPresent(), Optional.empty());
    }

    @Override
    public PollPolicy self() {
      return this;
    }

    @Override
    public int attempts() {
      return believed ? 2 : 1;
    }

    @Override
    public boolean mustReadAgain(Optional<Rollup> stored, Sum sum, Optional<Change> decided) {
      return believed && sum.isUsable() && decided.isEmpty();
    }

    @Override
    public boolean isDoneAfter(Reading reading) {
      Optional<Rollup> ours = reading.rollup().filter(rollup -> !rollup.isForeign());
      return (equal.isPresent() && ours.map(Rollup::updateTime).equals(equal))
          || ours.filter(
                  last -> timing.nextSum(last.shards(), last.asOf()).isAfter(reading.readTime()))
              .isPresent();
    }

    @Override
    public Optional<Change> decide(Optional<Rollup> stored, Sum sum) {
      return Decisions.ofPoll(stored, sum, timing);
    }

    @Override
    public PollPolicy forgetting(Optional<Rollup> equalTo) {
      return new PollPolicy(timing, /* believed= */ false, equalTo.map(Rollup::updateTime));
    }
  }

  private Void failed(Throwable failure) {
    kept.failed++;
    kept.cause = failure.toString();
    return null;
  }

  /** Whether a counter was summed, or found to be in order. */
  boolean hasWorked() {
    return hasWorked;
  }

  /** Once a minute, with what polls in between have met. */
  private void report() {
    if (listed.isEmpty()) {
      if (kept.failed > 0) {
        kept.log.write(
            Severity.WARNING,
            "not all counters could be summed; the next poll tries again",
            fields("failed", kept.failed));
      }
      kept.failed = 0;
      kept.cause = "";
    }
  }

  private Map<String, Object> fields(String name, long value) {
    return Map.of(
        StructuredLog.ENTRY,
        kept.entry.name(),
        StructuredLog.WORKER,
        kept.worker,
        name,
        value,
        "cause",
        kept.cause);
  }
}
