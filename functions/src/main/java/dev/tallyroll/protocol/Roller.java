package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Entry;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Sums one worker's live counters, once a tick each, and stores the totals.
 *
 * <p>Counters are independent: each has at most one call under way, and one that is slow is passed
 * over until that has ended, while the others go on. A counter whose calls keep failing leaves the
 * list of this run, with its lease. Two rollers at once are wasteful but harmless, since every
 * write compares the version it read.
 */
final class Roller {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** A counter that has failed so often in a row is left to the next run. */
  private static final int MAX_FAILURES = 5;

  private final RollupStore store;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final int worker;
  private final Part part;
  private final Reports reports;
  private final Map<CounterPath, LiveCounter> live = new HashMap<>();
  private final Set<CounterPath> left = new HashSet<>();
  private Summary summary = new Summary();
  private Instant nextSummary;
  private Instant lastQuery = Instant.MIN;
  private Instant alone = Instant.MIN;
  private boolean achieved;

  Roller(RollupStore store, Journal journal, RunSettings settings, int worker, EventLoop loop) {
    this.store = store;
    this.journal = journal;
    this.timing = settings.timing();
    this.loop = loop;
    this.worker = worker;
    this.part = Part.of(worker, settings.workers());
    this.reports = new Reports(journal);
    this.nextSummary = loop.instant().plus(MINUTE);
  }

  boolean isIdle() {
    return live.isEmpty();
  }

  /** Whether any counter has been summed: a run that achieves nothing wakes no successor. */
  boolean hasAchieved() {
    return achieved;
  }

  /**
   * After a takeover: for a LEASE, a roll-up whose sum has not changed is read again. The other run
   * may have written another total before it heard of that, and the shards may have come back.
   */
  void succeed() {
    alone = loop.instant().plus(timing.lease());
  }

  /** Finds every live counter of this worker. */
  CompletableFuture<Void> fill() {
    return store.live(part).thenAccept(found -> take(found));
  }

  /**
   * Finds those that have become live since the last query, and rolls them up. An entry may carry a
   * time that is a little before its commit, and be committed late.
   *
   * @return all that was found
   */
  CompletableFuture<LiveList> findNew() {
    Instant since = lastQuery.minus(timing.slack()).minus(timing.tick().multipliedBy(2));
    return store
        .liveSince(since)
        .thenApply(
            found -> {
              take(found).forEach(this::roll);
              return found;
            });
  }

  /** Rolls every live counter up. */
  void tick(long ticksMissed) {
    summary.late += ticksMissed;
    if (!loop.instant().isBefore(nextSummary)) {
      nextSummary = loop.instant().plus(MINUTE);
      report();
    }
    List.copyOf(live.values()).forEach(this::roll);
  }

  /** Completes when nothing is under way any more; then reports the last of it. */
  CompletableFuture<Void> drained() {
    return CompletableFuture.allOf(
            live.values().stream().map(it -> it.roll).toArray(CompletableFuture<?>[]::new))
        .thenRun(this::report);
  }

  /** Gives those that are new to this run. */
  private List<LiveCounter> take(LiveList found) {
    lastQuery = found.readTime().isAfter(lastQuery) ? found.readTime() : lastQuery;
    summary.cut += found.cut() ? 1 : 0;
    List<LiveCounter> added = new ArrayList<>();
    for (Entry entry : found.entries()) {
      CounterPath path = entry.counter();
      LiveCounter known = live.get(path);
      if (known != null) {
        known.entry = entry;
      } else if (part.holds(store.layout().liveId(path)) && !left.contains(path)) {
        LiveCounter counter = new LiveCounter(entry);
        live.put(path, counter);
        added.add(counter);
      }
    }
    summary.live = Math.max(summary.live, live.size());
    return added;
  }

  private void roll(LiveCounter counter) {
    if (!counter.roll.isDone()) {
      return;
    }
    counter.rolled = counter.entry;
    counter.roll =
        (counter.isUnknown()
                ? store.read(counter.path).thenCompose(reading -> learn(counter, reading))
                : sum(counter))
            .exceptionally(failure -> fail(counter, failure));
  }

  /** An entry whose roll-up holds no lease is left over from a restore, or a deletion by hand. */
  private CompletableFuture<Void> learn(LiveCounter counter, Reading reading) {
    Optional<Rollup> rollup = reading.rollup().filter(found -> !found.isForeign());
    if (rollup.flatMap(Rollup::liveUntil).isPresent()) {
      counter.learn(rollup.get());
      return sum(counter);
    }
    if (rollup.isEmpty() && reading.rollup().isPresent()) {
      summary.foreign++;
      reports.taken(counter.path, store.layout(), reading.readTime());
    }
    return store.remove(counter.rolled).thenRun(() -> drop(counter));
  }

  /** Takes it off the list, unless it has become live again since its roll began. */
  private void drop(LiveCounter counter) {
    counter.forget();
    if (counter.rolled.equals(counter.entry)) {
      live.remove(counter.path);
    }
  }

  private CompletableFuture<Void> sum(LiveCounter counter) {
    summary.sums++;
    return store.sum(counter.path).thenCompose(sum -> act(counter, sum));
  }

  private CompletableFuture<Void> act(LiveCounter counter, Sum sum) {
    achieved = true;
    summary.holds(counter.liveUntil(), sum.readTime());
    summary.unusable += reports.check(counter.path, store.layout(), sum) ? 0 : 1;
    Optional<Change> change = counter.decide(sum, timing);
    if (change.isPresent()) {
      return write(counter, sum, change.get());
    }
    counter.summed(sum);
    summary.unchanged++;
    // Handlers write once the lease has ended: what is known of the roll-up may be old by then.
    if (loop.instant().isBefore(alone) || sum.readTime().isAfter(counter.liveUntil())) {
      counter.forget();
    }
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> write(LiveCounter counter, Sum sum, Change change) {
    return store
        .write(counter.path, change)
        .thenAccept(
            applied -> {
              if (applied.isEmpty()) {
                summary.refused++;
                counter.forget(); // what somebody else has written is read at the next tick
                counter.failures = 0;
              } else if (change.ends()) {
                summary.settled++;
                drop(counter);
              } else {
                summary.writes++;
                counter
                    .written(change, sum, applied.get())
                    .ifPresent(before -> summary.shown(Duration.between(before, applied.get())));
              }
            });
  }

  private Void fail(LiveCounter counter, Throwable failure) {
    summary.failed(failure);
    counter.forget(); // its write may have been carried out
    if (++counter.failures >= MAX_FAILURES) {
      reports.failing(counter.path, store.layout(), loop.instant(), failure);
      live.remove(counter.path);
      left.add(counter.path);
    }
    return null;
  }

  private void report() {
    if (!summary.isEmpty()) {
      summary.write(journal, worker);
    }
    summary = new Summary();
    summary.live = live.size();
  }
}
