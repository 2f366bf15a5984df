package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import java.time.Duration;
import java.time.Instant;

/**
 * Up to when writes need nothing more.
 *
 * <p>A write is covered when it is in the stored total, or when a lease promises a sum that will
 * hold it. Only Firestore's own time stamps are compared; no machine's clock takes part.
 */
final class Coverage {
  private Coverage() {}

  /** A write that committed until then, and no later, is covered. */
  static Instant until(Rollup rollup, Duration slack) {
    // In the total is what committed before as_of less the slack.
    Instant byTotal = rollup.asOf().minus(slack).minusNanos(1);
    Instant byLease = rollup.liveUntil().orElse(Instant.MIN);
    return byLease.isAfter(byTotal) ? byLease : byTotal;
  }

  /** Up to when it was live, or is to be; a roll-up is created with a lease that ends at once. */
  static Instant liveUntil(Rollup rollup) {
    return rollup.liveUntil().filter(rollup.asOf()::isBefore).orElse(Instant.MIN);
  }

  static boolean covers(Rollup rollup, Instant committed, Duration slack) {
    return !until(rollup, slack).isBefore(committed);
  }
}
