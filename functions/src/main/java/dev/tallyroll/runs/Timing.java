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
 * @param most a counter of more documents is large: it is summed once a minute, by the schedule
 */
public record Timing(
    Duration tick,
    Duration lease,
    Duration slack,
    int burst,
    Duration hold,
    double precision,
    long most) {
  /**
   * After this time, a client cancels a call. Until then, a write that it has sent may take effect;
   * an entry in the live list may become visible a slack later.
   */
  public static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  /** From one scheduled run to the one after, and some seconds that it may take to sum. */
  private static final Duration LARGE_LEASE = RunSettings.SCHEDULE.multipliedBy(3).dividedBy(2);

  /** Timing for which no counter is large. */
  public Timing(
      Duration tick, Duration lease, Duration slack, int burst, Duration hold, double precision) {
    this(tick, lease, slack, burst, hold, precision, Long.MAX_VALUE);
  }

  /** Timing without a hold: each change is shown at the next tick. */
  public Timing(Duration tick, Duration lease, Duration slack, int burst) {
    this(tick, lease, slack, burst, Duration.ZERO, 0);
  }

  /** The same, with a limit from which counters are large. */
  public Timing withMost(long documents) {
    return new Timing(tick, lease, slack, burst, hold, precision, documents);
  }

  /** Whether a counter has more documents than are summed at each tick. */
  public boolean isLarge(long documents) {
    return documents > most;
  }

  /** The timing of one counter: of a large one, a minute and a lease that lasts for longer. */
  public Timing of(long documents) {
    Duration longer = LARGE_LEASE.compareTo(lease) > 0 ? LARGE_LEASE : lease;
    return isLarge(documents)
        ? new Timing(RunSettings.SCHEDULE, longer, slack, burst, hold, precision, most)
        : this;
  }

  /**
   * Before this time, only a scheduled run sums the shards of a counter again: of a large one, the
   * first write after a quiet minute is summed at once.
   */
  public Instant nextSum(long documents, Instant asOf) {
    return isLarge(documents) ? asOf.plus(RunSettings.SCHEDULE) : Times.LONG_AGO;
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
