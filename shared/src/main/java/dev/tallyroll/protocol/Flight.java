package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Events of one counter that share one read, sum and write.
 *
 * <p>Together they are covered only if the latest of them is; with a delete among them, never.
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

  boolean isCoveredBy(Rollup rollup, Duration slack) {
    return latest.map(committed -> Coverage.covers(rollup, committed, slack)).orElse(false);
  }
}
