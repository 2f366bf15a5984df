package dev.tallyroll.simulation;

import java.util.HashSet;
import java.util.Set;

/**
 * The totals that are possible, by the answers to clients: at least what was acknowledged, at most
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
    check(sum, leastAtStart, onlyAdded);
  }

  void checkFinal(long total) {
    check(total, least, known);
  }

  /** Nothing is ever taken off that was not there, however many resets there are at once. */
  private void check(long total, long acknowledged, boolean bounded) {
    if (total < 0) {
      throw new AssertionError("total " + total + ": more was taken off than had been counted");
    }
    if (bounded && (total < acknowledged || total > most)) {
      throw new AssertionError(
          "total %d: acknowledged %d, attempted %d".formatted(total, acknowledged, most));
    }
  }
}
