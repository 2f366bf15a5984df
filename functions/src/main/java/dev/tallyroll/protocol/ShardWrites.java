package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Handles writes of shards: rolls a quiet counter up at once, and makes a busy one live.
 *
 * <p>Events of one counter that arrive together share one read, sum and write: an event joins work
 * that has not started to read, never work that has, since that may have missed its write.
 *
 * <p>All methods must be called on the event loop.
 */
public final class ShardWrites {
  /**
   * Each refusal means that another writer got through, so more than a few in a row are a fault.
   */
  static final int MAX_ATTEMPTS = 10;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final Timing timing;
  private final int workers;
  private final Reports reports;
  private final KnownCounters known;
  private final Map<CounterPath, Work> underWay = new HashMap<>();
  private final Map<CounterPath, Work> waiting = new HashMap<>();

  /** Events of one counter that share one read, sum and write. */
  private static final class Work {
    final CounterPath counter;
    final CompletableFuture<Void> done = new CompletableFuture<>();
    private Commits commits;

    Work(CounterPath counter, Commits commits) {
      this.counter = counter;
      this.commits = commits;
    }

    void join(Commits others) {
      commits = commits.join(others);
    }

    void contended() {
      commits = commits.contended();
    }
  }

  public ShardWrites(
      RollupStore store, WakeUps wakeUps, Journal journal, Timing timing, int workers) {
    this.store = store;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.timing = timing;
    this.workers = workers;
    this.reports = new Reports(journal);
    this.known = new KnownCounters(timing);
  }

  /**
   * Handles one write of a shard. Costs nothing if this instance knows that it is covered; one read
   * if it is by what another has written; else one sum and one write or none, and one read before
   * them unless this instance wrote the roll-up last.
   *
   * @param committed the write's commit time; empty for a delete, which has none
   * @return completes once the write is in the stored total, or is promised to be; fails if it must
   *     be delivered again
   */
  public CompletableFuture<Void> written(CounterPath counter, Optional<Instant> committed) {
    Commits commits = known.seen(counter, committed);
    if (known.of(counter).covers(commits)) {
      return DONE;
    }
    Work joined = waiting.get(counter);
    if (joined != null) {
      joined.join(commits);
      return joined.done;
    }
    Work work = new Work(counter, commits);
    if (underWay.containsKey(counter)) {
      waiting.put(counter, work);
    } else {
      start(work);
    }
    return work.done;
  }

  private void start(Work work) {
    underWay.put(work.counter, work);
    CompletableFuture<Void> ended =
        known.of(work.counter).covers(work.commits) ? DONE : begin(work);
    var unused = ended.whenComplete((none, failure) -> end(work, failure));
  }

  private void end(Work work, Throwable failure) {
    underWay.remove(work.counter);
    Work next = waiting.remove(work.counter);
    if (next != null) {
      start(next);
    }
    if (failure == null) {
      work.done.complete(null);
    } else {
      work.done.completeExceptionally(failure);
    }
  }

  private CompletableFuture<Void> begin(Work work) {
    Optional<Rollup> written = known.of(work.counter).probable();
    return written.isPresent() ? sum(work, written, 1) : read(work, Instant.MAX, 1);
  }

  /**
   * @param refused the read time of the sum whose write was refused just now; the latest time there
   *     is if none was
   */
  private CompletableFuture<Void> read(Work work, Instant refused, int attempt) {
    if (attempt > MAX_ATTEMPTS) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              work.counter + ": gave up after " + MAX_ATTEMPTS + " attempts to write its roll-up"));
    }
    return store.read(work.counter).thenCompose(reading -> judge(work, reading, refused, attempt));
  }

  private CompletableFuture<Void> judge(Work work, Reading reading, Instant refused, int attempt) {
    Optional<Rollup> stored = reading.rollup();
    if (stored.filter(Rollup::isForeign).isPresent()) {
      reports.taken(work.counter, store.layout(), reading.readTime());
      return DONE; // the increments are safe in the shards
    }
    stored.ifPresent(rollup -> known.read(work.counter, rollup));
    if (work.commits.areCoveredBy(reading, timing.slack())) {
      return DONE;
    }
    if (stored.filter(rollup -> rollup.updateTime().isAfter(refused)).isPresent()) {
      work.contended(); // another has written within the time of a call
    }
    return sum(work, stored, attempt);
  }

  private CompletableFuture<Void> sum(Work work, Optional<Rollup> stored, int attempt) {
    return store.sum(work.counter).thenCompose(sum -> act(work, stored, sum, attempt));
  }

  private CompletableFuture<Void> act(Work work, Optional<Rollup> stored, Sum sum, int attempt) {
    HandlerDecision decision = HandlerDecision.of(stored, sum, work.commits.burst(), timing);
    if (decision instanceof HandlerDecision.Write write) {
      // A roll-up that another instance has just created is no sign of many writes.
      Instant refused = stored.isPresent() ? sum.readTime() : Instant.MAX;
      return write(work, write, refused, attempt);
    }
    if (decision instanceof HandlerDecision.SumAgain) {
      return read(work, Instant.MAX, attempt + 1);
    }
    if (decision instanceof HandlerDecision.Unusable) {
      reports.unusable(work.counter, store.layout(), sum);
    }
    return DONE;
  }

  private CompletableFuture<Void> write(
      Work work, HandlerDecision.Write write, Instant refused, int attempt) {
    return store
        .write(work.counter, write.change())
        .thenCompose(
            applied -> {
              if (applied.isEmpty()) {
                known.refused(work.counter);
                return read(work, refused, attempt + 1);
              }
              known.wrote(work.counter, write.stands().map(it -> it.at(applied.get())));
              return write.wake() ? wake(work.counter) : DONE;
            });
  }

  /** A wake-up that fails is no reason to retry: the lease stands, and the next run finds it. */
  private CompletableFuture<Void> wake(CounterPath counter) {
    return wakeUps
        .wake(Part.workerOf(store.layout().liveId(counter), workers))
        .exceptionally(
            failure -> {
              journal.write(
                  Severity.WARNING,
                  "wake-up not published; the next scheduled run takes over",
                  Map.of("cause", failure.toString()));
              return null;
            });
  }
}
