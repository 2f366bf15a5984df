package dev.tallyroll.simulation;

import java.util.HashSet;
import java.util.Set;

/**
 * The possible totals by the answers to clients: at least the acknowledged increments, at most the
 * attempted ones. All increments are by 1.
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

  /** A client sends an increment, maybe twice. */
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
   * A client gets the answer to a named increment.
   *
   * @param counted whether this call has counted it
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

  /** A client loses the reply to a reset for good, so the amount taken off is unknown. */
  void lostCount() {
    known = false;
  }

  /** Checks a sum whose read began when {@code leastAtStart} had been acknowledged. */
  void checkSum(long sum, long leastAtStart) {
    check(sum, leastAtStart, onlyAdded);
  }

  void checkFinal(long total) {
    check(total, least, known);
  }

  /** Checks that concurrent resets take off no more than was counted. */
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
