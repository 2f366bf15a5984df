package dev.tallyroll.runs;

import dev.tallyroll.internal.Times;
import java.time.Duration;
import java.time.Instant;

/**
 * When counters of one kind are live, and how often they are then summed; all in Firestore's time.
 *
 * @param tick how often a live counter of the entry is summed; without events, every counter
 * @param lease how long a counter stays live after it was made live
 * @param slack longer than a commit may take to become visible after its own time stamp
 * @param burst how many writes within {@code lease} make a counter live
 * @param hold how old a total that is shown may be while it has changed by less than {@code
 *     precision}; zero to show each change at the next tick
 * @param precision a part of the shown total
 */
public record Timing(
    Duration tick, Duration lease, Duration slack, int burst, Duration hold, double precision) {
  /**
   * After this time, a client cancels a call. Until then, a write that it has sent may take effect;
   * an entry in the live list may become visible a slack later.
   */
  public static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  /** Timing without a hold: each change is shown at the next tick. */
  public Timing(Duration tick, Duration lease, Duration slack, int burst) {
    this(tick, lease, slack, burst, Duration.ZERO, 0);
  }

  /** Whether the next scheduled run comes in time for the next tick, so none waits for it. */
  public boolean isLeftToSchedule() {
    return tick.compareTo(RunSettings.SCHEDULE) >= 0;
  }

  public boolean holds() {
    return !hold.isZero();
  }

  /**
   * How long a new lease is. Half of it lasts from one write of a held total to the next, since a
   * write for the lease alone would be a change for each listener.
   */
  public Duration leaseLength() {
    Duration held = hold.plus(tick.multipliedBy(2)).multipliedBy(2);
    if (!holds() || held.compareTo(lease) <= 0) {
      return lease;
    }
    return held.compareTo(Times.LONGEST_LEASE) < 0 ? held : Times.LONGEST_LEASE;
  }

  /** The next tick; ticks are aligned to the clock, not to the start of a run. */
  public Instant nextTick(Instant now) {
    return RunTimes.next(tick, now);
  }

  /** Whether a sum read at {@code readTime} keeps a lease's promise, so that the lease may end. */
  public boolean hasRunOut(Instant liveUntil, Instant readTime) {
    return readTime.isAfter(liveUntil.plus(slack));
  }
}
