package dev.tallyroll.runs;

import java.time.Duration;

/**
 * How runs and sweeps work, whatever the timing of what they work on.
 *
 * @param look how often a run looks who holds its run document, and what has become live
 * @param slack longer than a commit may take to become visible after its own time stamp
 * @param workers how many rollers share the live list
 * @param run how long a run lasts at the most
 * @param idleExit how long it stays on after its last live counter has settled
 * @param sweep how long a sweep may take
 * @param sweepCounters how many documents the sweeps of an hour look at, at the most; 0 for as many
 *     as a round a day takes
 */
public record RunSettings(
    Duration look,
    Duration slack,
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

  private static final Duration LEAST_LOOK = Duration.ofSeconds(1);

  private static final Duration LEAST_ALIVE = Duration.ofSeconds(25);

  /** How many counters a poll lists, or documents a sweep looks at that knows no earlier round. */
  public int looks() {
    return looks(/* round= */ 0, /* sharers= */ 1);
  }

  /**
   * How many documents a sweep looks at.
   *
   * @param round how many there were in the last whole round; 0 if that is not known
   * @param sharers how many sweeps share an hour
   */
  public int looks(long round, int sharers) {
    long daily = (round + SWEEPS_A_DAY - 1) / SWEEPS_A_DAY;
    return sweepCounters == 0
        ? (int) Math.min(Integer.MAX_VALUE, Math.max(LOOKS / sharers, daily))
        : Math.max(1, sweepCounters / sharers);
  }

  /** The part of the live list that a worker owns. */
  public WorkerRange range(int worker) {
    return WorkerRange.of(worker, workers);
  }

  /** How often a run looks, given the shortest period of what it works on. */
  public static Duration look(Duration shortest) {
    return shortest.compareTo(LEAST_LOOK) > 0 ? shortest : LEAST_LOOK;
  }

  /** Whether all of what runs work on can wait for the next scheduled run. */
  boolean leavesAllToSchedule() {
    return look.compareTo(SCHEDULE) >= 0;
  }

  /** How long a run claims to be alive: if it crashes, wake-ups start no other run in this time. */
  Duration alive() {
    Duration looks = look.multipliedBy(3);
    return looks.compareTo(LEAST_ALIVE) > 0 ? looks : LEAST_ALIVE;
  }
}
