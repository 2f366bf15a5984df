package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.Cycle.Changed;
import dev.tallyroll.protocol.Cycle.PassedOver;
import dev.tallyroll.protocol.Cycle.Unchanged;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Limiter;
import dev.tallyroll.runs.LiveSet;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sums one worker's live counters, once a tick each, and stores the totals.
 *
 * <p>Counters are independent: each has at most one call under way, and the roller passes over a
 * counter while its call lasts. If a counter's calls keep failing, the roller passes over it for
 * half a LEASE, or until it becomes live again. New counters wait for one another, so that
 * thousands of them delay no live counter. Two rollers at once are wasteful but harmless, since
 * every write compares the version it read.
 */
final class Roller implements LiveSet.Owner<CounterId> {
  private final LiveSet<CounterId> live;

  /**
   * How many new counters are read, summed and written at once; this leaves calls for the others.
   */
  private static final int NEW_AT_ONCE = 200;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Cycles cycles;
  private final StructuredLog log;
  private final EventLoop loop;
  private final int worker;
  private final boolean isScheduled;
  private final Reports reports;
  private final Limiter newcomers = new Limiter(NEW_AT_ONCE);
  private Summary summary = new Summary();

  /** When it has taken over from another run. */
  private Instant takenOver = Times.LONG_AGO;

  /** Rollers of one instance, by their workers, each for one run. */
  static Runs.Tasks all(
      CounterStore store, StructuredLog log, EventLoop loop, RunSettings settings) {
    return (worker, isScheduled) ->
        new Roller(store, log, settings, worker, isScheduled, loop).live;
  }

  Roller(
      CounterStore store,
      StructuredLog log,
      RunSettings settings,
      int worker,
      boolean isScheduled,
      EventLoop loop) {
    this.live = new LiveSet<>(this, store.liveList(), CounterId::liveId, settings, worker, loop);
    this.reports = new Reports(log);
    this.cycles = new Cycles(store, loop, reports);
    this.log = log;
    this.loop = loop;
    this.worker = worker;
    this.isScheduled = isScheduled;
  }

  @Override
  public Timing timing(CounterId counter) {
    return counter.timing();
  }

  @Override
  public LiveSet.Work newWork(LiveSet.Member<CounterId> member) {
    Optional<Instant> run = isScheduled ? Optional.of(live.firstQuery()) : Optional.empty();
    return new LiveCounter(this, member, RollerPolicy.unknown(member.timing(), run));
  }

  @Override
  public void takeOver() {
    takenOver = loop.instant();
  }

  /**
   * Another run, from which this one has taken over, may still write. If the shards return to an
   * earlier sum meanwhile, an unchanged sum proves nothing: so for the time of the longest lease,
   * the roller then reads the roll-up again.
   */
  Instant rereadUntil(Timing timing) {
    return takenOver.plus(timing.leaseLength());
  }

  @Override
  public CompletableFuture<Void> stop() {
    newcomers.drop();
    return DONE;
  }

  /** Works on a counter; the future does not fail. */
  CompletableFuture<Void> rollUp(LiveCounter counter) {
    return counter.isNew() ? newcomers.run(() -> follow(counter)) : follow(counter);
  }

  private CompletableFuture<Void> follow(LiveCounter counter) {
    counter.member.markStarted();
    return cycles
        .run(
            counter.id(),
            Cycle.begin(counter.following, counter.following.known()),
            (before, after) -> note(counter, before, after))
        .thenCompose(cycle -> end(counter, cycle))
        .exceptionally(failure -> fail(counter, failure));
  }

  private void note(LiveCounter counter, Cycle<RollerPolicy> before, Cycle<RollerPolicy> after) {
    counter.following = after.policy();
    if (before instanceof Cycle.ToRead) {
      after.stored().ifPresent(counter::size);
    } else if (before instanceof Cycle.ToSum) {
      live.hasWorked();
      summary.sums++;
      after.sum().ifPresent(sum -> noteSum(counter, sum));
    } else if (before instanceof Cycle.ToWrite && !(after instanceof Changed)) {
      summary.refused++;
      counter.refused();
    }
  }

  private void noteSum(LiveCounter counter, Sum sum) {
    counter.following.lease().ifPresent(end -> summary.holds(end, sum.readTime()));
    summary.unusable += reports.check(counter.id(), sum) ? 0 : 1;
  }

  /**
   * After a refused write, the cycle has tried again at once, since somebody else's total may be
   * older than a tick. After a second refusal, the counter waits for the next tick.
   */
  private CompletableFuture<Void> end(LiveCounter counter, Cycle<RollerPolicy> cycle) {
    if (cycle instanceof PassedOver<RollerPolicy> passed) {
      return passed(counter, passed.reading());
    }
    if (cycle instanceof Unchanged<RollerPolicy> unchanged) {
      unchanged(counter, unchanged.sum().orElseThrow());
    } else if (cycle instanceof Changed<RollerPolicy> changed) {
      written(counter, changed);
    }
    return DONE;
  }

  /**
   * If an entry's roll-up holds no lease of ours, the entry is left over from a restore, or from a
   * deletion by hand.
   */
  private CompletableFuture<Void> passed(LiveCounter counter, Reading reading) {
    boolean foreign = reading.foreign().isPresent();
    Optional<Instant> lease = reading.rollup().flatMap(Rollup::liveUntil);
    if (!foreign && lease.isPresent()) {
      if (counter.isLarge()) {
        return DONE; // it waits for another run
      }
      Duration rest =
          Duration.between(reading.readTime(), lease.get().plus(counter.member.timing().slack()));
      counter.member.waitUntil(loop.instant().plus(rest));
      return DONE;
    }
    if (foreign) {
      summary.foreign++;
      reports.taken(counter.id(), reading);
    }
    return live.remove(counter.member);
  }

  private void unchanged(LiveCounter counter, Sum sum) {
    counter.summed(sum);
    summary.unchanged++;
    if (loop.instant().isBefore(counter.rereadUntil)) {
      counter.forget();
    }
  }

  private void written(LiveCounter counter, Changed<RollerPolicy> cycle) {
    if (cycle.change().ends()) {
      summary.settled++;
      live.drop(counter.member);
      return;
    }
    summary.writes++;
    cycle.result().ifPresent(counter::size);
    counter
        .summed(cycle.sum().orElseThrow())
        .ifPresent(before -> summary.shown(Duration.between(before, cycle.version())));
  }

  private Void fail(LiveCounter counter, Throwable failure) {
    summary.failed(failure);
    if (counter.failed(loop.instant(), counter.member.timing().lease().dividedBy(2))) {
      reports.failing(counter.id(), loop.instant(), failure);
    }
    return null;
  }

  @Override
  public void report(int most, long missed, int cuts) {
    summary.live = most;
    summary.late = missed;
    summary.cut = cuts;
    if (!summary.isEmpty()) {
      summary.write(log, worker);
    }
    summary = new Summary();
  }
}
