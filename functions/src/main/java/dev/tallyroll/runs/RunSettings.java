package dev.tallyroll.runs;

import java.time.Duration;

/**
 * How runs and sweeps work.
 *
 * @param workers how many rollers share the live list
 * @param run how long a run lasts at the most
 * @param idleExit how long it stays on after its last live counter has settled
 * @param sweep how long a sweep may take
 * @param sweepCounters how many documents a sweep looks at, at the most; 0 for as many as a round a
 *     day takes
 */
public record RunSettings(
    Timing timing,
    int workers,
    Duration run,
    Duration idleExit,
    Duration sweep,
    int sweepCounters) {
  /** How often scheduled runs come. */
  public static final Duration SCHEDULE = Duration.ofMinutes(1);

  /** How many documents a sweep looks at, unless a round a day takes more. */
  static final int LOOKS = 10_000;

  private static final int SWEEPS_A_DAY = 24;

  private static final Duration LEAST_ALIVE = Duration.ofSeconds(25);

  /** How many counters a poll lists, or documents a sweep looks at that knows no earlier round. */
  public int looks() {
    return looks(/* round= */ 0);
  }

  /**
   * How many documents a sweep looks at.
   *
   * @param round how many there were in the last whole round; 0 if that is not known
   */
  public int looks(long round) {
    long daily = (round + SWEEPS_A_DAY - 1) / SWEEPS_A_DAY;
    return sweepCounters == 0
        ? (int) Math.min(Integer.MAX_VALUE, Math.max(LOOKS, daily))
        : sweepCounters;
  }

  /** How long a run claims to be alive: if it crashes, wake-ups start no other run in this time. */
  Duration alive() {
    Duration ticks = timing.tick().multipliedBy(3);
    return ticks.compareTo(LEAST_ALIVE) > 0 ? ticks : LEAST_ALIVE;
  }
}
