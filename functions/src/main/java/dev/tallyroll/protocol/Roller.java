package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.LiveSet;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.Turns;
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
final class Roller extends LiveSet<CounterId, LiveCounter> {
  /**
   * How many new counters are read, summed and written at once; this leaves calls for the others.
   */
  private static final int NEW_AT_ONCE = 200;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Cycles cycles;
  private final Journal journal;
  private final EventLoop loop;
  private final int worker;
  private final boolean isScheduled;
  private final Reports reports;
  private final Turns newcomers = new Turns(NEW_AT_ONCE);
  private Summary summary = new Summary();

  /** When it has taken over from another run. */
  private Instant takenOver = Times.LONG_AGO;

  /** Rollers of one instance, by their workers, each for one run. */
  static Runs.Tasks all(RollupStore store, Journal journal, EventLoop loop, RunSettings settings) {
    return (worker, isScheduled) -> new Roller(store, journal, settings, worker, isScheduled, loop);
  }

  Roller(
      RollupStore store,
      Journal journal,
      RunSettings settings,
      int worker,
      boolean isScheduled,
      EventLoop loop) {
    super(store.liveList(), CounterId::liveId, settings, worker, loop);
    this.reports = new Reports(journal);
    this.cycles = new Cycles(store, loop, reports);
    this.journal = journal;
    this.loop = loop;
    this.worker = worker;
    this.isScheduled = isScheduled;
  }

  @Override
  protected LiveCounter member(LiveStore.Entry<CounterId> entry) {
    Timing timing = entry.key().timing();
    Optional<Instant> run = Optional.of(firstQuery()).filter(unused -> isScheduled);
    return new LiveCounter(entry, RollerPolicy.unknown(timing, run), rereadUntil(timing));
  }

  /**
   * Notes that this run takes over from another one, which may still write. If the shards return to
   * an earlier sum meanwhile, an unchanged sum proves nothing: so for the time of the longest
   * lease, it makes the roller read the roll-up again.
   */
  @Override
  public void takeOver() {
    takenOver = loop.instant();
    members().forEach(counter -> counter.rereadUntil = rereadUntil(counter.timing()));
  }

  private Instant rereadUntil(Timing timing) {
    return takenOver.plus(timing.leaseLength());
  }

  @Override
  protected CompletableFuture<Void> stop() {
    newcomers.drop();
    return DONE;
  }

  @Override
  protected CompletableFuture<Void> work(LiveCounter counter) {
    return counter.isNew() ? newcomers.take(() -> follow(counter)) : follow(counter);
  }

  private CompletableFuture<Void> follow(LiveCounter counter) {
    markStarted(counter);
    return cycles
        .run(
            counter.key(),
            Cycle.begin(counter.following, counter.following.known()),
            (before, after) -> note(counter, before, after))
        .thenCompose(cycle -> end(counter, cycle))
        .exceptionally(failure -> fail(counter, failure));
  }

  private void note(LiveCounter counter, Cycle<RollerPolicy> before, Cycle<RollerPolicy> after) {
    counter.following = after.policy();
    if (before.next() == Cycle.Next.READ) {
      after.stored().ifPresent(counter::size);
    } else if (before.next() == Cycle.Next.SUM) {
      hasWorked();
      summary.sums++;
      after.sum().ifPresent(sum -> noteSum(counter, sum));
    } else if (before.next() == Cycle.Next.WRITE && after.version().isEmpty()) {
      summary.refused++;
      counter.refused();
    }
  }

  private void noteSum(LiveCounter counter, Sum sum) {
    counter.following.lease().ifPresent(end -> summary.holds(end, sum.readTime()));
    summary.unusable += reports.check(counter.key(), sum) ? 0 : 1;
  }

  /**
   * After a refused write, the cycle has tried again at once, since somebody else's total may be
   * older than a tick. After a second refusal, the counter waits for the next tick.
   */
  private CompletableFuture<Void> end(LiveCounter counter, Cycle<RollerPolicy> cycle) {
    return switch (cycle.next()) {
      case FOREIGN, PASSED -> passed(counter, cycle.reading().orElseThrow());
      case UNCHANGED -> {
        unchanged(counter, cycle.sum().orElseThrow());
        yield DONE;
      }
      case WRITTEN -> {
        written(counter, cycle);
        yield DONE;
      }
      default -> DONE;
    };
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
          Duration.between(reading.readTime(), lease.get().plus(counter.timing().slack()));
      counter.waitUntil(loop.instant().plus(rest));
      return DONE;
    }
    if (foreign) {
      summary.foreign++;
      reports.taken(counter.key(), reading);
    }
    return remove(counter);
  }

  private void unchanged(LiveCounter counter, Sum sum) {
    counter.summed(sum);
    summary.unchanged++;
    if (loop.instant().isBefore(counter.rereadUntil)) {
      counter.forget();
    }
  }

  private void written(LiveCounter counter, Cycle<RollerPolicy> cycle) {
    if (cycle.change().orElseThrow().ends()) {
      summary.settled++;
      drop(counter);
      return;
    }
    summary.writes++;
    cycle.result().ifPresent(counter::size);
    Instant shown = cycle.version().orElseThrow();
    counter
        .summed(cycle.sum().orElseThrow())
        .ifPresent(before -> summary.shown(Duration.between(before, shown)));
  }

  private Void fail(LiveCounter counter, Throwable failure) {
    summary.failed(failure);
    if (counter.failed(loop.instant(), counter.timing().lease().dividedBy(2))) {
      reports.failing(counter.key(), loop.instant(), failure);
    }
    return null;
  }

  @Override
  protected void report(int live, long missed, int cuts) {
    summary.live = live;
    summary.late = missed;
    summary.cut = cuts;
    if (!summary.isEmpty()) {
      summary.write(journal, worker);
    }
    summary = new Summary();
  }
}
