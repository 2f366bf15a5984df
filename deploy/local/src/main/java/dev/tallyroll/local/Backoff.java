package dev.tallyroll.local;

import java.time.Duration;

/**
 * How long to wait before a delivery is tried again: twice as long each time, up to a longest wait.
 * Immutable.
 *
 * @param first the wait after the first failure
 * @param longest the wait that is never exceeded
 * @param giveUpAfter how long after the first attempt a delivery is given up
 */
record Backoff(Duration first, Duration longest, Duration giveUpAfter) {
  /** Production waits 10 s to 600 s; here somebody watches. It gives up after the same day. */
  static final Backoff LOCAL =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofHours(24));

  private static final int MOST_DOUBLINGS = 30;

  Backoff {
    if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "expected waits above zero, the longest not below the first, found "
              + first
              + " and "
              + longest);
    }
  }

  /** The wait after that many failures, of which there is at least one. */
  Duration after(int failures) {
    var wait = first.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }

  boolean givesUp(Duration sinceFirstAttempt) {
    return sinceFirstAttempt.compareTo(giveUpAfter) > 0;
  }
}
