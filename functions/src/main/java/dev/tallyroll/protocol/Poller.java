package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the totals of one worker's polled counters, which make no events.
 *
 * <p>Each scheduled run lists them and sums each once. A counter that has changed is hot: it is
 * summed at each tick, until ten ticks have shown no change. The next run sums all of them again,
 * so they need no lease and no entry in the live list.
 *
 * <p>It lives as long as its instance, and remembers roll-ups from run to run, unless another
 * instance has polled in the meantime. Every write names the version that it replaces.
 */
final class Poller {
  /** For how many ticks without a change a counter stays hot. */
  private static final int HOT_TICKS = 10;

  /** A counter with so many failures in a row does not keep a run alive. */
  private static final int MAX_FAILURES = 5;

  private static final int PAGE = 300;

  /**
   * How many counters are read, summed and written at once; this leaves calls for live counters.
   */
  private static final int AT_ONCE = 100;

  /** After this time, a remembered roll-up is read again: an administrator may have deleted it. */
  private static final Duration BELIEVED = Duration.ofMinutes(10);

  /** How many counters are remembered; each other one costs a read more. */
  private static final int REMEMBERED = 50_000;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final RunStore runs;
  private final Journal journal;
  private final RunSettings settings;
  private final EventLoop loop;
  private final int worker;
  private final Part part;
  private final Reports reports;
  private final String holder;
  private final Map<CounterPath, Polled> counters = new LinkedHashMap<>();
  private final Turns turns = new Turns(AT_ONCE);
  private String after = "";
  private int pass;
  private Instant rereadUntil = Instant.MIN;
  private CompletableFuture<Void> listing = DONE;

  Poller(
      RollupStore store,
      RunStore runs,
      Journal journal,
      RunSettings settings,
      int worker,
      EventLoop loop) {
    this.store = store;
    this.runs = runs;
    this.journal = journal;
    this.settings = settings;
    this.loop = loop;
    this.worker = worker;
    this.part = Part.of(worker, settings.workers());
    this.reports = new Reports(journal);
    this.holder = runs.newHolder();
  }

  /** A polled counter, as this instance knows it. */
  private static final class Polled {
    final CounterPath path;

    /** Completed when no call for it is under way or waits. */
    CompletableFuture<Void> roll = DONE;

    /** The last pass over the list that has found it. */
    int seen;

    boolean hot;

    /** How many rolls have failed, one after the other. */
    int failures;

    private boolean known;
    private Optional<Rollup> stored = Optional.empty();

    /** By the loop's clock. */
    private Instant began = Instant.MIN;

    private Instant rereadUntil;
    private Instant believedUntil = Instant.MIN;

    Polled(CounterPath path, Instant rereadUntil) {
      this.path = path;
      this.rereadUntil = rereadUntil;
    }

    /**
     * A roll begins.
     *
     * @return whether the roll-up is known, so that it need not be read
     */
    boolean begins(Instant now) {
      began = now;
      return known && now.isBefore(believedUntil);
    }

    /**
     * Notes the roll-up. The next roll believes it only if nobody else may have written during this
     * one.
     */
    void learn(Optional<Rollup> rollup) {
      known = !began.isBefore(rereadUntil);
      stored = rollup;
    }

    /** Forgets the roll-up, since somebody else may have written it. */
    void forget() {
      known = false;
    }

    /** Until this time, a failed write or another run's may still take effect. */
    void rereadUntil(Instant time) {
      forget();
      rereadUntil = time.isAfter(rereadUntil) ? time : rereadUntil;
    }
  }

  /** The job of a worker's poller: its run document says which instance has polled last. */
  static String job(int worker) {
    return "poll-" + worker;
  }

  /** Whether no counter is hot, and no poll is under way. */
  boolean isIdle() {
    return listing.isDone()
        && turns.isIdle()
        && counters.values().stream().noneMatch(counter -> counter.hot);
  }

  /**
   * Sums every polled counter of this worker once, and writes the totals that differ. Costs a read
   * for each polled counter of all workers, at least one, and a sum for each of this worker's.
   * Completes when all have been summed; failures are journalled.
   */
  CompletableFuture<Void> poll() {
    if (listing.isDone()) {
      listing =
          list(settings.sweepCounters(), /* first= */ true)
              .exceptionally(
                  failure -> {
                    report("polled counters could not be listed; the next run does", failure);
                    return null;
                  })
              .thenCompose(none -> drained());
    }
    return listing;
  }

  private CompletableFuture<Void> list(int left, boolean first) {
    return store
        .page(Group.COUNTERS, after, Math.min(PAGE, left))
        .thenCompose(
            page ->
                first && !page.counters().isEmpty()
                    ? trust().thenApply(none -> page)
                    : CompletableFuture.completedFuture(page))
        .thenCompose(page -> take(page, left - page.looked()));
  }

  private CompletableFuture<Void> take(Page page, int left) {
    page.counters().stream()
        .filter(path -> part.holds(store.layout().liveId(path)))
        .forEach(this::found);
    after = page.last();
    if (after.isEmpty()) {
      endPass();
      return DONE;
    }
    if (left <= 0) {
      journal.write(
          Severity.WARNING,
          "more polled counters than SWEEP_COUNTERS: the next runs poll the others",
          Map.of(Journal.WORKER, worker, "after", after));
      return DONE;
    }
    return list(left, /* first= */ false);
  }

  private void found(CounterPath path) {
    Polled counter = counters.computeIfAbsent(path, it -> new Polled(it, rereadUntil));
    counter.seen = pass;
    roll(counter);
  }

  /**
   * Sums counters once more that are not in the list any more: their roll-ups are removed, unless
   * the counters were created again a moment ago.
   */
  private void endPass() {
    for (Polled counter : List.copyOf(counters.values())) {
      if (counter.seen == pass) {
        continue;
      }
      if (counter.known && counter.stored.isEmpty()) {
        counters.remove(counter.path);
      } else {
        roll(counter);
      }
    }
    pass++;
    if (counters.size() > REMEMBERED) {
      List.copyOf(counters.keySet()).subList(REMEMBERED, counters.size()).forEach(counters::remove);
    }
  }

  /**
   * Believes what it remembers only if no other instance has polled since: that instance may have
   * written another total, before the shards came back to the remembered one.
   */
  private CompletableFuture<Void> trust() {
    String job = job(worker);
    return runs.read(job)
        .thenCompose(
            state ->
                isMine(state) ? CompletableFuture.completedFuture(null) : takeOver(job, state));
  }

  private boolean isMine(RunState state) {
    return state.claim().filter(claim -> claim.holder().equals(holder)).isPresent();
  }

  private CompletableFuture<Void> takeOver(String job, RunState state) {
    rereadUntil = loop.instant().plus(settings.timing().lease()).plus(Timing.LONGEST_CALL);
    counters.values().forEach(counter -> counter.rereadUntil(rereadUntil));
    return hold(runs, job, holder, state);
  }

  /**
   * Writes into the poll's run document that this holder has looked at roll-ups last. If this is
   * refused, another has done so just now.
   *
   * @param state as it was read
   */
  static CompletableFuture<Void> hold(RunStore runs, String job, String holder, RunState state) {
    return state.isForeign()
        ? DONE
        : runs.claim(job, new Claim(holder, state.readTime()), Optional.empty(), state.updateTime())
            .thenAccept(claimed -> {});
  }

  /** Sums the hot counters. */
  void tick() {
    counters.values().stream().filter(counter -> counter.hot).forEach(this::roll);
  }

  /** Completes when nothing is under way any more. */
  CompletableFuture<Void> drained() {
    return CompletableFuture.allOf(
        counters.values().stream().map(it -> it.roll).toArray(CompletableFuture<?>[]::new));
  }

  private void roll(Polled counter) {
    if (counter.roll.isDone()) {
      counter.roll =
          turns.take(
              () ->
                  begin(counter)
                      .thenRun(() -> counter.failures = 0)
                      .exceptionally(failure -> failed(counter, failure)));
    }
  }

  private CompletableFuture<Void> begin(Polled counter) {
    return counter.begins(loop.instant())
        ? sum(counter)
        : store.read(counter.path).thenCompose(reading -> learn(counter, reading));
  }

  private CompletableFuture<Void> learn(Polled counter, Reading reading) {
    if (reading.rollup().filter(Rollup::isForeign).isPresent()) {
      reports.taken(counter.path, store.layout(), reading.readTime());
      counter.learn(Optional.empty());
      counter.hot = false;
      return DONE;
    }
    counter.learn(reading.rollup());
    counter.believedUntil = loop.instant().plus(BELIEVED);
    return sum(counter);
  }

  private CompletableFuture<Void> sum(Polled counter) {
    boolean hasTotal = counter.stored.filter(Rollup::wasWritten).isPresent();
    return (hasTotal ? store.sum(counter.path) : store.quickSum(counter.path))
        .thenCompose(sum -> act(counter, sum));
  }

  private CompletableFuture<Void> act(Polled counter, Sum sum) {
    reports.check(counter.path, store.layout(), sum);
    counter.hot =
        counter
            .stored
            .filter(it -> isFresh(it, sum.readTime()) || (sum.isUsable() && sum.differsFrom(it)))
            .isPresent();
    Optional<Change> change = Decisions.ofPoll(counter.stored, sum, settings.timing());
    return change.isPresent() ? write(counter, change.get()) : DONE;
  }

  private boolean isFresh(Rollup rollup, Instant now) {
    Duration hot = settings.timing().tick().multipliedBy(HOT_TICKS);
    return rollup.updateTime().isAfter(now.minus(hot));
  }

  private CompletableFuture<Void> write(Polled counter, Change change) {
    counter.hot = true;
    return store
        .write(counter.path, change)
        .thenAccept(
            applied -> {
              if (applied.isEmpty()) {
                counter.forget();
              } else {
                counter.learn(change.applied(counter.stored, applied.get()));
                counter.hot = !change.ends();
              }
            });
  }

  private Void failed(Polled counter, Throwable failure) {
    counter.rereadUntil(loop.instant().plus(Timing.LONGEST_CALL));
    if (++counter.failures >= MAX_FAILURES) {
      counter.hot = false; // the next run tries again
      reports.failing(counter.path, store.layout(), loop.instant(), failure);
    }
    return null;
  }

  private void report(String message, Throwable failure) {
    journal.write(
        Severity.WARNING, message, Map.of(Journal.WORKER, worker, "cause", failure.toString()));
  }
}
