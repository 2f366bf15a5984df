package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sums one worker's live counters, once a tick each, and stores the totals.
 *
 * <p>Counters are independent: each has at most one sum or write under way, and one that is slow or
 * fails is passed over until that has ended, while the others go on. Two rollers at once are
 * wasteful but harmless, since every write compares the version it read.
 *
 * <p>All methods must be called on the event loop.
 */
final class Roller {
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** Sums of one counter in one tick: the second when another roller came between. */
  private static final int ATTEMPTS = 2;

  private final RollupStore store;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final LiveSearch search;
  private final Map<CounterPath, LiveCounter> live = new HashMap<>();
  private final Reports reports;
  private TickReport report = new TickReport();
  private Instant serverTime = Instant.MIN;
  private Instant alone = Instant.MIN;
  private int underWay;
  private CompletableFuture<Void> drained = DONE;

  Roller(RollupStore store, Journal journal, RunSettings settings, int worker, EventLoop loop) {
    this.store = store;
    this.journal = journal;
    this.timing = settings.timing();
    this.loop = loop;
    this.search = new LiveSearch(store, timing, settings.lanes(), worker);
    this.reports = new Reports(journal);
  }

  boolean isIdle() {
    return live.isEmpty();
  }

  /** Firestore's time, as far as this roller has heard it. */
  Instant serverTime() {
    return serverTime;
  }

  /**
   * For a LEASE from now on, looks at a roll-up whose sum is as it was: the run that was taken over
   * from may have written another since, until it hears of that, while the shards have come back.
   */
  void succeed() {
    alone = loop.instant().plus(timing.lease());
  }

  /** Finds every live counter of this worker, and rolls those up that are new. */
  CompletableFuture<Void> fill() {
    return search.all(loop.instant()).thenAccept(this::take);
  }

  /** Rolls every live counter up, and from time to time looks whether one has been missed. */
  void tick(int ticksMissed) {
    report();
    report.late = ticksMissed;
    for (LiveCounter counter : List.copyOf(live.values())) {
      roll(counter);
    }
    if (search.isDue(loop.instant())) {
      add(fill().exceptionally(this::fail));
    }
  }

  /** Finds the counters that have become live since the last query, and rolls them up. */
  void findNew() {
    add(search.fresh().thenAccept(this::take).exceptionally(this::fail));
  }

  /** Completes when nothing is under way any more; then reports the last of it. */
  CompletableFuture<Void> drained() {
    return drained.thenRun(this::report);
  }

  private void add(CompletableFuture<Void> work) {
    if (underWay++ == 0) {
      drained = new CompletableFuture<>();
    }
    var unused =
        work.whenComplete(
            (none, failure) -> {
              if (--underWay == 0) {
                drained.complete(null);
              }
            });
  }

  private void take(LiveList found) {
    hear(found.readTime());
    found.counters().forEach(counter -> take(counter.counter(), counter.rollup()));
  }

  private void take(CounterPath path, Rollup rollup) {
    LiveCounter known = live.get(path);
    if (known == null) {
      LiveCounter added = new LiveCounter(path, rollup);
      live.put(path, added);
      roll(added);
    } else if (known.refresh(rollup)) {
      roll(known); // what it said until now has not been compared with any sum
    }
  }

  private void roll(LiveCounter counter) {
    if (counter.isUnderWay()) {
      return;
    }
    counter.begin();
    add(sum(counter, ATTEMPTS).exceptionally(this::fail).thenRun(counter::end));
  }

  private CompletableFuture<Void> sum(LiveCounter counter, int attempts) {
    if (attempts == 0) {
      return DONE;
    }
    report.sums++;
    return store.sum(counter.path).thenCompose(sum -> act(counter, sum, attempts - 1));
  }

  private void hear(Instant readTime) {
    serverTime = readTime.isAfter(serverTime) ? readTime : serverTime;
  }

  private CompletableFuture<Void> act(LiveCounter counter, Sum sum, int attempts) {
    hear(sum.readTime());
    RollerDecision decision = counter.decide(sum, timing);
    if (decision instanceof RollerDecision.Write write) {
      return write(counter, sum, write, attempts);
    }
    if (decision instanceof RollerDecision.Settle settle) {
      return settle(counter, sum, settle);
    }
    if (decision instanceof RollerDecision.Unusable) {
      reportUnusable(counter, sum);
    } else {
      report.unchanged++;
      if (loop.instant().isBefore(alone)) {
        return lookAgain(counter, attempts);
      }
    }
    return DONE;
  }

  private CompletableFuture<Void> write(
      LiveCounter counter, Sum sum, RollerDecision.Write write, int attempts) {
    return store
        .write(counter.path, write.change())
        .thenCompose(
            applied -> {
              if (applied.isEmpty()) {
                report.refused++;
                return lookAgain(counter, attempts);
              }
              report.writes++;
              counter.written(sum, write.lease(), applied.get());
              return DONE;
            });
  }

  private CompletableFuture<Void> settle(
      LiveCounter counter, Sum sum, RollerDecision.Settle settle) {
    if (!sum.total().isUsable()) {
      reportUnusable(counter, sum);
    }
    return store
        .write(counter.path, settle.change())
        .thenCompose(
            applied -> {
              if (applied.isEmpty()) {
                report.refused++;
                return lookAgain(counter, /* attempts= */ 0);
              }
              report.settled++;
              live.remove(counter.path);
              return DONE;
            });
  }

  /** Somebody else may have written the roll-up: if so, what it says now is compared at once. */
  private CompletableFuture<Void> lookAgain(LiveCounter counter, int attempts) {
    return store
        .read(counter.path)
        .thenCompose(reading -> keep(counter, reading) ? sum(counter, attempts) : DONE);
  }

  /** Keeps a counter on the list while it is live; says whether its roll-up was news. */
  private boolean keep(LiveCounter counter, Reading reading) {
    Optional<Rollup> rollup = reading.rollup().filter(found -> !found.isForeign());
    if (rollup.flatMap(Rollup::lease).isEmpty()) {
      live.remove(counter.path);
      return false;
    }
    return counter.adopt(rollup.get());
  }

  private Void fail(Throwable failure) {
    report.failed(failure);
    return null;
  }

  private void reportUnusable(LiveCounter counter, Sum sum) {
    report.unusable++;
    reports.unusable(counter.path, sum);
  }

  private void report() {
    if (!report.isEmpty()) {
      Severity severity = report.hasFailures() ? Severity.WARNING : Severity.INFO;
      journal.write(severity, "tick", report.fields(live.size()));
    }
    report = new TickReport();
  }
}
