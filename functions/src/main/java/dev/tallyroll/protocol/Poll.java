package dev.tallyroll.protocol;

import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.CounterPages.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
import dev.tallyroll.runs.LiveStore.Entry;
import dev.tallyroll.runs.Part;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.RunState;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One look of a run at its worker's polled counters, whose writes make no events: reads and sums
 * each. Those whose totals have changed become live, and from there the run's roller does what it
 * does with any live counter; or, if polls come as often as ticks, a poll writes the total itself.
 *
 * <p>It looks at no more than so many. If it ends before the list does, the next goes on there. The
 * list is read by a run's first poll, and then once a minute, however often polls come.
 */
final class Poll implements Pass.Pages<Located> {
  /** How many counters a page has; fewer each time that it fails. */
  private static final List<Integer> PAGES = List.of(300, 30, 3);

  /**
   * How many counters are read, summed and written at once; this leaves calls for live counters.
   */
  private static final int AT_ONCE = 100;

  /** How many a list keeps. To sum more takes a minute, and then the list is read again anyway. */
  private static final int MOST_LISTED = 60_000;

  /** A pass through the list must not take longer. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Only the end of its run ends it. */
  private static final Duration NO_LIMIT = Duration.ofDays(1);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /**
   * All polls of one instance share this: a poll stores it, and the next poll reads it.
   *
   * @param places where the place of an unfinished poll is kept
   * @param memory of roll-ups that a poll has left without a lease
   * @param unfinished the counters that a poll has found, and not yet summed to its end: the list
   *     names one that has lost its shards only once
   * @param lists by workers
   * @param failures how many calls have failed since the last report, by workers
   */
  record Kept(
      RunStore places,
      Map<Located, Rollup> memory,
      Set<Located> unfinished,
      Map<Integer, Listed> lists,
      Map<Integer, Integer> failures) {
    private static final int CAPACITY = 20_000;

    static Kept in(RunStore places) {
      return new Kept(
          places,
          Recent.entries(CAPACITY),
          new LinkedHashSet<>(),
          new HashMap<>(),
          new HashMap<>());
    }

    /** Whether the last list of a worker has a counter. */
    boolean hasAny(int worker) {
      return lists.containsKey(worker) && !lists.get(worker).counters().isEmpty();
    }

    /** The whole list, if it was read a moment ago. */
    private Optional<Listed> fresh(int worker, Instant now) {
      return Optional.ofNullable(lists.get(worker)).filter(list -> list.isFresh(now));
    }
  }

  /**
   * The counters of a worker that a poll has found in the list of polled counters.
   *
   * @param isWhole whether the list has no others
   * @param at when the poll that read it began, by the loop's clock
   */
  private record Listed(List<Located> counters, boolean isWhole, Instant at) {
    boolean isFresh(Instant now) {
      return isWhole && now.isBefore(at.plus(RunSettings.SCHEDULE));
    }
  }

  private final RollupStore store;
  private final Cycles cycles;
  private final RunStore runs;
  private final Journal journal;
  private final Timing timing;
  private final int worker;
  private final Part part;
  private final Reports reports;
  private final Map<Located, Rollup> memory;
  private final Set<Located> unfinished;

  /** Those of polls before this one. */
  private final Set<Located> left;

  private final BiConsumer<Entry<Located>, Rollup> live;
  private final Consumer<Located> leased;
  private final Kept kept;
  private final Instant begun;

  /** Empty if this poll reads the list. */
  private final Optional<Listed> listed;

  /** The first of those that this poll has taken. */
  private final List<Located> found = new ArrayList<>();

  private int taken;
  private final Pass<Located> pass;
  private CompletableFuture<Void> all = DONE;
  private int budget;
  private int failed;
  private String cause = "";

  /**
   * @param isFirst whether it is the first of its run, which reads the list
   * @param live gets each counter that this makes live, with its roll-up
   * @param leased gets each counter that is live already, perhaps in another run that has polled it
   */
  Poll(
      RollupStore store,
      Kept kept,
      Journal journal,
      RunSettings settings,
      int worker,
      EventLoop loop,
      boolean isFirst,
      BiConsumer<Entry<Located>, Rollup> live,
      Consumer<Located> leased) {
    this.store = store;
    this.cycles = new Cycles(store, loop);
    this.runs = kept.places();
    this.journal = journal;
    this.timing = settings.timing();
    this.worker = worker;
    this.part = Part.of(worker, settings.workers());
    this.reports = new Reports(journal);
    this.memory = kept.memory();
    this.unfinished = kept.unfinished();
    this.left = new LinkedHashSet<>(unfinished);
    left.removeIf(counter -> !isOfWorker(counter));
    this.live = live;
    this.leased = leased;
    this.budget = settings.looks();
    this.kept = kept;
    this.begun = loop.instant();
    this.listed = isFirst ? Optional.empty() : kept.fresh(worker, begun);
    this.pass = new Pass<>(this, new Unclaimed(), loop, AT_ONCE, NO_LIMIT);
  }

  /**
   * Begins, once. Costs, once a minute, a read for its place, a read for each polled counter of all
   * workers, at least one, and those of {@link CounterPages#page}'s first page; a read and a sum
   * for each of this worker's; for each that changes, two writes. Completes at the end; failures
   * are journalled.
   */
  CompletableFuture<Void> begin() {
    all =
        pass.run()
            .thenAccept(this::ended)
            .exceptionally(this::failed) // its place could not be read, or kept
            .thenRun(this::report);
    return all;
  }

  /** Leaves what has not begun to the next run. */
  CompletableFuture<Void> stop() {
    pass.stop();
    return all;
  }

  @Override
  public List<String> groups() {
    return List.of(Group.POLLED.name());
  }

  @Override
  public boolean canBeginAfter(String group, String after) {
    return store.canBeginAfter(Group.POLLED, after);
  }

  @Override
  public boolean isSpent() {
    return budget <= 0;
  }

  @Override
  public CompletableFuture<Pass.Page<Located>> page(String group, String after, int failures) {
    if (listed.isPresent()) {
      left.addAll(listed.get().counters());
      return CompletableFuture.completedFuture(taken(""));
    }
    return store
        .page(Group.POLLED, after, Math.min(PAGES.get(failures), budget))
        .whenComplete((page, failure) -> cause = failure == null ? cause : failure.toString())
        .thenApply(this::ofWorker);
  }

  private Pass.Page<Located> ofWorker(Page page) {
    budget -= page.looked();
    page.counters().stream().filter(this::isOfWorker).forEach(left::add);
    return taken(page.last());
  }

  private Pass.Page<Located> taken(String last) {
    List<Located> counters = List.copyOf(left);
    left.clear();
    taken += counters.size();
    counters.stream().limit(MOST_LISTED - found.size()).forEach(found::add);
    counters.stream().limit(Kept.CAPACITY - unfinished.size()).forEach(unfinished::add);
    return new Pass.Page<>(counters, last);
  }

  private boolean isOfWorker(Located counter) {
    return part.holds(counter.liveId());
  }

  @Override
  public CompletableFuture<Void> work(Located counter) {
    return store
        .agree(counter, journal)
        .thenCompose(agreed -> agreed ? poll(counter) : DONE)
        .exceptionally(this::failed);
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
      return runs.read(job())
          .thenApply(
              state -> {
                before = Optional.of(state);
                return new Pass.Opened(/* isFree= */ true, state.place(), state.readTime());
              });
    }

    private String job() {
      return "poll-" + worker;
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
          : runs.savePlace(job(), place, state.updateTime()).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<Void> close(Place end) {
      return before
          .filter(state -> state.place().isPresent())
          .flatMap(RunState::updateTime)
          .map(version -> runs.release(job(), version).<Void>thenApply(done -> null))
          .orElse(DONE);
    }
  }

  private void ended(Pass.End end) {
    boolean isAll = end == Pass.End.COMPLETE && pass.isWhole() && taken == found.size();
    if (listed.isEmpty() && (isAll || !found.isEmpty())) {
      kept.lists().put(worker, new Listed(List.copyOf(found), isAll, begun));
    }
    Duration lasted = pass.age();
    if (lasted.compareTo(LONGEST) >= 0) {
      journal.write(
          Severity.ERROR,
          "polled counters were not polled for ten minutes: raise SWEEP_COUNTERS or WORKERS, or"
              + " look why calls fail",
          fields("seconds", lasted.toSeconds()));
    } else if (end == Pass.End.LEFT && isSpent()) {
      journal.write(
          Severity.WARNING,
          "more polled counters than SWEEP_COUNTERS: the next run polls the others",
          fields("seconds", lasted.toSeconds()));
    } else if (end == Pass.End.LEFT && !cause.isEmpty()) {
      failed++;
    }
  }

  private CompletableFuture<Void> poll(Located counter) {
    Optional<Rollup> known = Optional.ofNullable(memory.get(counter));
    return cycles
        .run(
            counter,
            Cycle.begin(PollPolicy.of(timing, known), known),
            (before, after) -> {
              if (before.next() == Cycle.Next.SUM) {
                after.sum().ifPresent(sum -> reports.check(counter, sum));
              }
            })
        .thenAccept(cycle -> end(counter, cycle));
  }

  private void end(Located counter, Cycle<PollPolicy> cycle) {
    if (cycle.next() != Cycle.Next.GIVEN_UP) {
      unfinished.remove(counter);
    }
    settledRollup(cycle)
        .ifPresentOrElse(rollup -> memory.put(counter, rollup), () -> memory.remove(counter));
    if (cycle.next() == Cycle.Next.FOREIGN) {
      reports.taken(counter, cycle.reading().orElseThrow().readTime());
    } else if (cycle.next() == Cycle.Next.WRITTEN) {
      // The commit of both gives the entry the roll-up's version.
      cycle
          .result()
          .filter(now -> now.liveUntil().isPresent())
          .ifPresent(now -> live.accept(new Entry<>(counter, now.updateTime()), now));
    } else if (cycle.next() == Cycle.Next.PASSED && !timing.pollOnly()) {
      leased.accept(counter);
    }
  }

  /**
   * The roll-up without a lease that a cycle has left, or found, if the next poll may begin there.
   */
  static Optional<Rollup> settledRollup(Cycle<PollPolicy> cycle) {
    Optional<Rollup> last =
        switch (cycle.next()) {
          case WRITTEN -> cycle.result();
          case UNCHANGED -> cycle.stored();
          case PASSED -> cycle.reading().flatMap(Reading::rollup);
          default -> Optional.empty();
        };
    return last.filter(
        rollup -> cycle.policy().timing().pollOnly() && rollup.liveUntil().isEmpty());
  }

  /**
   * The policy of a poll's cycles. A poll that is refused does not insist, since somebody else has
   * just summed the counter.
   *
   * <p>If only polls write totals, a roll-up is most probably as the last poll has left it. A write
   * at that version costs no read, and is refused if it is not. But a sum that is equal to it says
   * nothing before a read.
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
    public int attempts() {
      return believed ? 2 : 1;
    }

    @Override
    public boolean mustReadAgain(Optional<Rollup> stored, Sum sum, Optional<Change> decided) {
      return believed && sum.isUsable() && decided.isEmpty();
    }

    @Override
    public boolean confirmsEmptySum() {
      return false;
    }

    /** While it is live, its roller does the rest. */
    @Override
    public boolean isDoneAfter(Reading reading) {
      Optional<Rollup> ours = reading.rollup().filter(rollup -> !rollup.isForeign());
      return ours.flatMap(Rollup::liveUntil).filter(reading.readTime()::isBefore).isPresent()
          || (equal.isPresent() && ours.map(Rollup::updateTime).equals(equal));
    }

    @Override
    public Optional<Change> decide(Optional<Rollup> stored, Sum sum) {
      return Decisions.ofPoll(stored, sum, timing);
    }

    @Override
    public PollPolicy after(Cycle<PollPolicy> before, Cycle<PollPolicy> after) {
      return believed && after.next() == Cycle.Next.READ
          ? new PollPolicy(timing, false, version(before))
          : this;
    }

    private static Optional<Instant> version(Cycle<PollPolicy> before) {
      return before.next() == Cycle.Next.SUM
          ? before.stored().map(Rollup::updateTime)
          : Optional.empty();
    }
  }

  private Void failed(Throwable failure) {
    failed++;
    cause = failure.toString();
    return null;
  }

  /** Whether a counter was summed, or found to be in order. */
  boolean hasWorked() {
    return taken > failed;
  }

  /** Once a minute, with what polls in between have met. */
  private void report() {
    int failures = kept.failures().merge(worker, failed, Integer::sum);
    if (listed.isEmpty()) {
      kept.failures().remove(worker);
      if (failures > 0) {
        journal.write(
            Severity.WARNING,
            "not all polled counters could be summed; the next poll tries again",
            fields("failed", failures));
      }
    }
  }

  private Map<String, Object> fields(String name, long value) {
    return Map.of(Journal.WORKER, worker, name, value, "cause", cause);
  }
}
