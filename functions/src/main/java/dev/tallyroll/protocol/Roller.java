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
import java.util.List;
import java.util.Map;
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
final class Roller implements LiveWork {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /**
   * How many new counters are read, summed and written at once; this leaves calls for the others.
   */
  private static final int NEW_AT_ONCE = 200;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final int worker;
  private final Part part;
  private final Reports reports;
  private final Map<CounterPath, LiveCounter> live = new HashMap<>();
  private final Turns newcomers = new Turns(NEW_AT_ONCE);
  private Summary summary = new Summary();
  private Instant nextSummary;
  private Instant lastQuery = Instant.MIN;
  private Instant rereadUntil = Instant.MIN;
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

  @Override
  public Part part() {
    return part;
  }

  @Override
  public boolean isIdle() {
    return live.values().stream().allMatch(LiveCounter::isFailing);
  }

  @Override
  public boolean hasAchieved() {
    return achieved;
  }

  /**
   * Notes that this run takes over from another one, which may write totals until it learns of
   * that, while the shards go back and forth. So for a LEASE, an unchanged sum makes the roller
   * read the roll-up again.
   */
  @Override
  public void takeOver() {
    rereadUntil = loop.instant().plus(timing.lease());
    live.values().forEach(counter -> counter.rereadUntil = rereadUntil);
  }

  @Override
  public CompletableFuture<Void> fill() {
    return store.live(part).thenAccept(found -> take(found));
  }

  /**
   * Finds the counters that have become live since the last query, and rolls them up. An entry
   * carries the time of its request; it may be committed much later, if a transaction holds its
   * roll-up.
   */
  @Override
  public CompletableFuture<Void> findNew() {
    Instant since = lastQuery.minus(timing.slack()).minus(Timing.LONGEST_CALL);
    return store.liveSince(since).thenAccept(found -> take(found).forEach(this::roll));
  }

  @Override
  public void tick(long ticksMissed) {
    summary.late += ticksMissed;
    if (!loop.instant().isBefore(nextSummary)) {
      nextSummary = loop.instant().plus(MINUTE);
      report();
    }
    List.copyOf(live.values()).forEach(this::roll);
  }

  @Override
  public CompletableFuture<Void> drained() {
    newcomers.drop();
    return CompletableFuture.allOf(
            live.values().stream().map(it -> it.roll).toArray(CompletableFuture<?>[]::new))
        .thenRun(this::report);
  }

  /** Returns the counters that are new to this run. */
  private List<LiveCounter> take(LiveList found) {
    lastQuery = found.readTime().isAfter(lastQuery) ? found.readTime() : lastQuery;
    summary.cut += found.cut() ? 1 : 0;
    List<LiveCounter> added = new ArrayList<>();
    for (Entry entry : found.entries()) {
      CounterPath path = entry.counter();
      LiveCounter known = live.get(path);
      if (known != null) {
        known.seen(entry);
      } else if (part.holds(store.layout().liveId(path))) {
        LiveCounter counter = new LiveCounter(entry, rereadUntil);
        live.put(path, counter);
        added.add(counter);
      }
    }
    summary.live = Math.max(summary.live, live.size());
    return added;
  }

  private void roll(LiveCounter counter) {
    if (!counter.roll.isDone() || loop.instant().isBefore(counter.notBefore)) {
      return;
    }
    counter.roll = counter.isNew() ? newcomers.take(() -> begin(counter)) : begin(counter);
  }

  private CompletableFuture<Void> begin(LiveCounter counter) {
    counter.begins();
    return attempt(counter).exceptionally(failure -> fail(counter, failure));
  }

  private CompletableFuture<Void> attempt(LiveCounter counter) {
    return counter.isUnknown()
        ? store.read(counter.path).thenCompose(reading -> learn(counter, reading))
        : sum(counter);
  }

  /**
   * If an entry's roll-up holds no lease, the entry is left over from a restore, or from a deletion
   * by hand.
   */
  private CompletableFuture<Void> learn(LiveCounter counter, Reading reading) {
    Optional<Rollup> rollup = reading.rollup().filter(found -> !found.isForeign());
    Optional<Instant> lease = rollup.flatMap(Rollup::liveUntil);
    if (lease.isPresent()) {
      if (owesNothingYet(rollup.get(), lease.get(), reading.readTime())) {
        Duration rest = Duration.between(reading.readTime(), lease.get().plus(timing.slack()));
        counter.notBefore = loop.instant().plus(rest);
        return DONE;
      }
      counter.learn(rollup.get());
      return sum(counter);
    }
    if (rollup.isEmpty() && reading.rollup().isPresent()) {
      summary.foreign++;
      reports.taken(counter.path, store.layout(), reading.readTime());
    }
    return store.remove(counter.rolled).thenRun(() -> drop(counter));
  }

  /**
   * Whether it is a new roll-up, with a total as of its lease's end: a sum may end the lease once
   * SLACK has passed.
   */
  private boolean owesNothingYet(Rollup rollup, Instant lease, Instant now) {
    return !lease.isAfter(rollup.asOf()) && !timing.hasRunOut(lease, now);
  }

  /** Removes the counter from the list, unless it has become live again since its roll began. */
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
    // After the lease's end handlers write, so the known roll-up may be old.
    if (loop.instant().isBefore(counter.rereadUntil)
        || sum.readTime().isAfter(counter.liveUntil())) {
      counter.forget();
    }
    return DONE;
  }

  private CompletableFuture<Void> write(LiveCounter counter, Sum sum, Change change) {
    return store.write(counter.path, change).thenCompose(at -> ended(counter, sum, change, at));
  }

  /**
   * After a refused write, tries again at once with the roll-up that is there now, since somebody
   * else's total may be older than a tick. After a second refusal, waits for the next tick.
   */
  private CompletableFuture<Void> ended(
      LiveCounter counter, Sum sum, Change change, Optional<Instant> applied) {
    if (applied.isEmpty()) {
      summary.refused++;
      return counter.refused() ? attempt(counter) : DONE;
    }
    if (change.ends()) {
      summary.settled++;
      drop(counter);
    } else {
      summary.writes++;
      counter
          .written(change, sum, applied.get())
          .ifPresent(before -> summary.shown(Duration.between(before, applied.get())));
    }
    return DONE;
  }

  private Void fail(LiveCounter counter, Throwable failure) {
    summary.failed(failure);
    if (counter.failed(loop.instant(), timing.lease().dividedBy(2))) {
      reports.failing(counter.path, store.layout(), loop.instant(), failure);
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
