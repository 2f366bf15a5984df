package dev.tallyroll;

/**
 * Refuses what cannot be counted. Firestore's {@code increment} saturates without a word at the
 * ends of the long range, and a NaN or an infinity never leaves a shard again.
 */
final class Deltas {
  /** A shard takes eight million of them before it saturates. */
  static final long MOST = 1L << 40;

  private Deltas() {}

  static long require(long delta) {
    if (delta < -MOST || delta > MOST) {
      throw refuse("a whole number from -2^40 to 2^40", delta);
    }
    return delta;
  }

  static double require(double delta) {
    // Written so that a NaN, which compares as false, is refused.
    if (!(Math.abs(delta) <= MOST)) {
      throw refuse("a finite number from -2^40 to 2^40", delta);
    }
    return delta;
  }

  private static IllegalArgumentException refuse(String expected, Number found) {
    return new IllegalArgumentException("delta: expected " + expected + "; found " + found);
  }
}
