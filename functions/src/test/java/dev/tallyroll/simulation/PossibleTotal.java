package dev.tallyroll.simulation;

import java.util.HashSet;
import java.util.Set;

/**
 * What a counter may hold, by what its clients have heard: at least what was acknowledged, at most
 * what was attempted. All increments are by 1.
 */
final class PossibleTotal {
  private final Set<String> named = new HashSet<>();
  private final Set<String> confirmed = new HashSet<>();
  private final Set<String> claimed = new HashSet<>();
  private long least;
  private long most;
  private boolean known = true;
  private boolean onlyAdded = true;

  long least() {
    return least;
  }

  /** An increment is on its way; its client may send it twice. */
  void adding() {
    most += 2;
  }

  void added() {
    least++;
  }

  void adding(String name) {
    if (named.add(name)) {
      most++;
    }
  }

  /**
   * A named increment is acknowledged.
   *
   * @param counted whether by this very call
   */
  void added(String name, boolean counted) {
    if (confirmed.add(name)) {
      least++;
    }
    if (counted && !claimed.add(name)) {
      throw new AssertionError(name + ": two calls say that they counted it");
    }
  }

  void takingOff() {
    onlyAdded = false;
  }

  void takenOff(long total) {
    least -= total;
    most -= total;
  }

  /** A reset's reply was lost for good: how much it took off is not known. */
  void lostCount() {
    known = false;
  }

  /** A sum that was read some time after {@code leastAtStart} had been acknowledged. */
  void checkSum(long sum, long leastAtStart) {
    checkNotBelowZero(sum);
    if (onlyAdded && (sum < leastAtStart || sum > most)) {
      throw new AssertionError(
          "sum %d: acknowledged %d, attempted %d".formatted(sum, leastAtStart, most));
    }
  }

  /** Nothing is ever taken off that was not there, however many resets there are at once. */
  private static void checkNotBelowZero(long total) {
    if (total < 0) {
      throw new AssertionError("total " + total + ": more was taken off than had been counted");
    }
  }

  void checkFinal(long total) {
    checkNotBelowZero(total);
    if (known && (total < least || total > most)) {
      throw new AssertionError(
          "total %d: acknowledged %d, attempted %d".formatted(total, least, most));
    }
  }
}
