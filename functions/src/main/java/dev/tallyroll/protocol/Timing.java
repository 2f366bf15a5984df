package dev.tallyroll.protocol;

import java.time.Duration;
import java.time.Instant;

/**
 * When a counter is live, and how often it is summed then; all in Firestore's time.
 *
 * @param tick how often a live counter is summed
 * @param lease how long a counter stays live after it was made live
 * @param slack longer than a commit may take to become visible after its own time stamp
 * @param burst how many writes within a lease make a counter live
 */
public record Timing(Duration tick, Duration lease, Duration slack, int burst) {
  /**
   * A client gives a call up after so long. A write that it has sent may take effect until then,
   * and an entry of the live list become visible a slack later.
   */
  public static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  /** Ticks are aligned to the clock, not to the start of a run. */
  Instant nextTick(Instant now) {
    long nanos = tick.toNanos();
    long sinceEpoch = Duration.between(Instant.EPOCH, now).toNanos();
    return Instant.EPOCH.plusNanos((sinceEpoch / nanos + 1) * nanos);
  }

  /** Whether a sum read at {@code readTime} keeps a lease's promise, so that the lease may end. */
  boolean hasRunOut(Instant liveUntil, Instant readTime) {
    return readTime.isAfter(liveUntil.plus(slack));
  }
}
