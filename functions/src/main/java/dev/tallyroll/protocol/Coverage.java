package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import java.time.Duration;
import java.time.Instant;

/**
 * Whether a write that committed at some time needs nothing more.
 *
 * <p>It is covered when it is in the stored total, or when a lease promises a sum that will hold
 * it. Only Firestore's own time stamps are compared; no machine's clock takes part.
 */
final class Coverage {
  private Coverage() {}

  static boolean byTotal(Rollup rollup, Instant committed, Duration slack) {
    return rollup.asOf().isAfter(committed.plus(slack));
  }

  static boolean byLease(Instant leaseUntil, Instant committed) {
    return !leaseUntil.isBefore(committed);
  }

  static boolean covers(Rollup rollup, Instant committed, Duration slack) {
    return byTotal(rollup, committed, slack)
        || rollup.lease().map(lease -> byLease(lease.until(), committed)).orElse(false);
  }
}
