package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.LiveList;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private final RollupStore store;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final LiveSearch search;
  private final Map<CounterPath, LiveCounter> live = new HashMap<>();
  private final Unusable unusable;
  private final InFlight inFlight = new InFlight();
  private TickReport report = new TickReport();
  private Instant serverTime = Instant.MIN;

  Roller(
      RollupStore store, Journal journal, Timing timing, Lanes lanes, int worker, EventLoop loop) {
    this.store = store;
    this.journal = journal;
    this.timing = timing;
    this.loop = loop;
    this.search = new LiveSearch(store, timing, lanes, worker);
    this.unusable = new Unusable(journal);
  }

  boolean isIdle() {
    return live.isEmpty();
  }

  /** Firestore's time, as far as this roller has heard it. */
  Instant serverTime() {
    return serverTime;
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
      inFlight.add(fill().exceptionally(this::fail));
    }
  }

  /** Finds the counters that have become live since the last query, and rolls them up. */
  void findNew() {
    inFlight.add(search.fresh().thenAccept(this::take).exceptionally(this::fail));
  }

  /** Completes when nothing is under way any more; then reports the last of it. */
  CompletableFuture<Void> drained() {
    return inFlight.drained().thenRun(this::report);
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
    if (counter.isInFlight()) {
      return;
    }
    counter.takeOff();
    report.sums++;
    inFlight.add(
        store
            .sum(counter.path)
            .thenCompose(sum -> act(counter, sum))
            .exceptionally(this::fail)
            .thenRun(counter::land));
  }

  private void hear(Instant readTime) {
    serverTime = readTime.isAfter(serverTime) ? readTime : serverTime;
  }

  private CompletableFuture<Void> act(LiveCounter counter, Sum sum) {
    hear(sum.readTime());
    RollerDecision decision = counter.decide(sum, timing);
    if (decision instanceof RollerDecision.Write write) {
      return write(counter, sum, write);
    }
    if (decision instanceof RollerDecision.Settle settle) {
      return settle(counter, sum, settle);
    }
    if (decision instanceof RollerDecision.Unusable) {
      reportUnusable(counter, sum);
    } else {
      report.unchanged++;
    }
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> write(LiveCounter counter, Sum sum, RollerDecision.Write write) {
    return store
        .write(counter.path, write.change())
        .thenCompose(
            applied -> {
              if (applied.isEmpty()) {
                return readAgain(counter);
              }
              report.writes++;
              counter.written(sum, write.lease(), applied.get());
              return CompletableFuture.completedFuture(null);
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
                return readAgain(counter);
              }
              report.settled++;
              live.remove(counter.path);
              return CompletableFuture.completedFuture(null);
            });
  }

  /** Somebody else wrote the roll-up: see what it says now, and take it up at the next tick. */
  private CompletableFuture<Void> readAgain(LiveCounter counter) {
    report.refused++;
    return store
        .read(counter.path)
        .thenAccept(
            reading ->
                reading
                    .rollup()
                    .filter(rollup -> rollup.lease().isPresent())
                    .ifPresentOrElse(counter::adopt, () -> live.remove(counter.path)));
  }

  private Void fail(Throwable failure) {
    report.failed(failure);
    return null;
  }

  private void reportUnusable(LiveCounter counter, Sum sum) {
    report.unusable++;
    unusable.report(counter.path, sum);
  }

  private void report() {
    if (!report.isEmpty()) {
      Severity severity = report.hasFailures() ? Severity.WARNING : Severity.INFO;
      journal.write(severity, "tick", report.fields(live.size()));
    }
    report = new TickReport();
  }
}
