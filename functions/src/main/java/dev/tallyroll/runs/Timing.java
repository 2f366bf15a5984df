package dev.tallyroll.runs;

import dev.tallyroll.internal.Times;
import java.time.Duration;
import java.time.Instant;

/**
 * When a counter is live, and how often it is then summed; all in Firestore's time.
 *
 * @param tick how often a live counter is summed
 * @param lease how long a counter stays live after it was made live
 * @param slack longer than a commit may take to become visible after its own time stamp
 * @param burst how many writes within {@code lease} make a counter live
 * @param hold how old a shown total of a live or polled counter may be while it has changed by less
 *     than {@code precision}; zero to show each change at the next tick
 * @param precision a part of the shown total
 * @param poll how often polled counters are summed
 */
public record Timing(
    Duration tick,
    Duration lease,
    Duration slack,
    int burst,
    Duration hold,
    double precision,
    Duration poll) {
  /**
   * After this time, a client cancels a call. Until then, a write that it has sent may take effect;
   * an entry in the live list may become visible a slack later.
   */
  public static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  /** For how many ticks a polled counter stays live after its total was written. */
  private static final int POLLED_TICKS = 10;

  /**
   * A lease and its last tick end within this time, because RollUp is billed while it waits. If
   * ticks are longer, the first that shows no change ends it.
   */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(11);

  private static final Duration SHORTEST_POLLED = Duration.ofSeconds(1);

  /**
   * Timing without HOLD: each change is shown at the next tick; polls are those of the schedule.
   */
  public Timing(Duration tick, Duration lease, Duration slack, int burst) {
    this(tick, lease, slack, burst, Duration.ZERO, 0, RunSettings.SCHEDULE);
  }

  /** Whether polls alone write the totals of polled counters, and make none live. */
  public boolean pollOnly() {
    return tick.compareTo(poll) >= 0;
  }

  /** Whether polls are due between two scheduled runs. */
  public boolean pollsOften() {
    return poll.compareTo(RunSettings.SCHEDULE) < 0;
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
    return atMost(held);
  }

  /** How long the lease is that a poll gives to a counter that has changed. */
  public Duration firstPolledLeaseLength() {
    Duration ticks = tick.multipliedBy(POLLED_TICKS);
    Duration rest = LONGEST_WAIT.minus(tick);
    Duration most = rest.compareTo(SHORTEST_POLLED) > 0 ? rest : SHORTEST_POLLED;
    return ticks.compareTo(most) < 0 ? ticks : most;
  }

  /**
   * How long the lease of a polled counter is after each further write of its total: until the next
   * write of a held total, and a little more.
   */
  public Duration polledLeaseLength() {
    Duration held = hold.plus(tick.multipliedBy(4));
    return holds() && held.compareTo(firstPolledLeaseLength()) > 0
        ? atMost(held)
        : firstPolledLeaseLength();
  }

  private static Duration atMost(Duration lease) {
    return lease.compareTo(Times.LONGEST_LEASE) < 0 ? lease : Times.LONGEST_LEASE;
  }

  /** The longest lease that a counter gets. */
  public Duration longest() {
    return leaseLength().compareTo(polledLeaseLength()) > 0 ? leaseLength() : polledLeaseLength();
  }

  /** The next tick; ticks are aligned to the clock, not to the start of a run. */
  public Instant nextTick(Instant now) {
    return next(tick, now);
  }

  /** The next time at which a poll is due, aligned in the same way. */
  public Instant nextPoll(Instant now) {
    return next(poll, now);
  }

  private static Instant next(Duration period, Instant now) {
    long nanos = period.toNanos();
    long sinceEpoch = Duration.between(Instant.EPOCH, now).toNanos();
    return Instant.EPOCH.plusNanos((sinceEpoch / nanos + 1) * nanos);
  }

  /** Whether a sum read at {@code readTime} keeps a lease's promise, so that the lease may end. */
  public boolean hasRunOut(Instant liveUntil, Instant readTime) {
    return readTime.isAfter(liveUntil.plus(slack));
  }
}
