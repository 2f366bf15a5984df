package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

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
  private final IntSupplier randomLane;
  private final Reports reports;
  private final KnownCounters known;
  private final Map<CounterPath, Flight> flying = new HashMap<>();
  private final Map<CounterPath, Flight> waiting = new HashMap<>();

  public ShardWrites(
      RollupStore store, WakeUps wakeUps, Journal journal, Timing timing, IntSupplier randomLane) {
    this.store = store;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.timing = timing;
    this.randomLane = randomLane;
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
    Flight joined = waiting.get(counter);
    if (joined != null) {
      joined.join(commits);
      return joined.landed;
    }
    Flight flight = new Flight(counter, commits);
    if (flying.containsKey(counter)) {
      waiting.put(counter, flight);
    } else {
      start(flight);
    }
    return flight.landed;
  }

  private void start(Flight flight) {
    flying.put(flight.counter, flight);
    CompletableFuture<Void> work =
        known.of(flight.counter).covers(flight.commits()) ? DONE : begin(flight);
    var unused = work.whenComplete((none, failure) -> land(flight, failure));
  }

  private void land(Flight flight, Throwable failure) {
    flying.remove(flight.counter);
    Flight next = waiting.remove(flight.counter);
    if (next != null) {
      start(next);
    }
    if (failure == null) {
      flight.landed.complete(null);
    } else {
      flight.landed.completeExceptionally(failure);
    }
  }

  private CompletableFuture<Void> begin(Flight flight) {
    Optional<Rollup> written = known.of(flight.counter).probable();
    return written.isPresent() ? sum(flight, written, 1) : read(flight, 1);
  }

  private CompletableFuture<Void> read(Flight flight, int attempt) {
    if (attempt > MAX_ATTEMPTS) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              flight.counter
                  + ": gave up after "
                  + MAX_ATTEMPTS
                  + " attempts to write its roll-up"));
    }
    return store.read(flight.counter).thenCompose(reading -> judge(flight, reading, attempt));
  }

  private CompletableFuture<Void> judge(Flight flight, Reading reading, int attempt) {
    Optional<Rollup> stored = reading.rollup();
    if (stored.filter(Rollup::isForeign).isPresent()) {
      reports.taken(flight.counter, store.layout(), reading.readTime());
      return DONE; // the increments are safe in the shards
    }
    stored.ifPresent(rollup -> known.read(flight.counter, rollup));
    return flight.commits().areCoveredBy(reading, timing.slack())
        ? DONE
        : sum(flight, stored, attempt);
  }

  private CompletableFuture<Void> sum(Flight flight, Optional<Rollup> stored, int attempt) {
    return store.sum(flight.counter).thenCompose(sum -> act(flight, stored, sum, attempt));
  }

  private CompletableFuture<Void> act(
      Flight flight, Optional<Rollup> stored, Sum sum, int attempt) {
    Instant changed = known.of(flight.counter).changed();
    boolean burst = flight.commits().areBurst(changed, sum.readTime(), timing.tick());
    HandlerDecision decision = HandlerDecision.of(stored, sum, burst, timing, randomLane);
    if (decision instanceof HandlerDecision.Write write) {
      return write(flight, write, attempt);
    }
    if (decision instanceof HandlerDecision.SumAgain) {
      return read(flight, attempt + 1);
    }
    if (decision instanceof HandlerDecision.Unusable) {
      reports.unusable(flight.counter, sum);
    }
    return DONE;
  }

  private CompletableFuture<Void> write(Flight flight, HandlerDecision.Write write, int attempt) {
    return store
        .write(flight.counter, write.change())
        .thenCompose(
            applied -> {
              if (applied.isEmpty()) {
                known.refused(flight.counter);
                return read(flight, attempt + 1);
              }
              known.wrote(flight.counter, write.stands().map(it -> it.at(applied.get())));
              return write.wake() ? wake(write.stands().flatMap(Rollup::lease)) : DONE;
            });
  }

  /** A wake-up that fails is no reason to retry: the lease stands, and the next run finds it. */
  private CompletableFuture<Void> wake(Optional<Lease> lease) {
    return wakeUps
        .wake(lease.map(Lease::lane).orElse(Lease.NO_LANE))
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
