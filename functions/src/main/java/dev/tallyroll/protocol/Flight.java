package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Events of one counter that share one read, sum and write.
 *
 * <p>Together they are covered only if the latest of them is. A delete has no commit time of its
 * own; as it was committed before its event was sent, the time of a read stands in for it.
 */
final class Flight {
  final CounterPath counter;
  final CompletableFuture<Void> landed = new CompletableFuture<>();
  private Optional<Instant> latest;

  Flight(CounterPath counter, Optional<Instant> committed) {
    this.counter = counter;
    this.latest = committed;
  }

  void join(Optional<Instant> committed) {
    latest = latest.flatMap(held -> committed.map(other -> other.isAfter(held) ? other : held));
  }

  /** The latest commit; empty with a delete among them. */
  Optional<Instant> latest() {
    return latest;
  }

  boolean isCoveredBy(Reading reading, Duration slack) {
    Instant committed = latest.orElse(reading.readTime());
    return reading.rollup().map(rollup -> Coverage.covers(rollup, committed, slack)).orElse(false);
  }
}
