package dev.tallyroll.runs;

import java.time.Duration;

/**
 * How runs and sweeps work.
 *
 * @param workers how many rollers share the live list
 * @param run how long a run lasts at the most
 * @param idleExit how long it stays on after its last live counter has settled
 * @param sweep how long a sweep may take
 * @param sweepCounters how many documents a sweep looks at, at the most
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

  private static final Duration LEAST_ALIVE = Duration.ofSeconds(25);

  /** How long a run claims to be alive: if it crashes, wake-ups start no other run in this time. */
  Duration alive() {
    Duration ticks = timing.tick().multipliedBy(3);
    return ticks.compareTo(LEAST_ALIVE) > 0 ? ticks : LEAST_ALIVE;
  }
}
