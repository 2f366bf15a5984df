package dev.tallyroll;

import java.time.Duration;

/** Refuses bad arguments of a {@link Counter}, by name and with what was found. Stateless. */
final class Arguments {
  /**
   * Firestore's {@code increment} saturates without a word at the ends of the long range; a shard
   * takes eight million of these before it does.
   */
  static final long MOST_DELTA = 1L << 40;

  private Arguments() {}

  static long delta(long delta) {
    if (delta < -MOST_DELTA || delta > MOST_DELTA) {
      throw refuse("delta", "a whole number from -2^40 to 2^40", delta);
    }
    return delta;
  }

  static double delta(double delta) {
    // A NaN, which would never leave the shard again, compares as false.
    if (!(Math.abs(delta) <= MOST_DELTA)) {
      throw refuse("delta", "a finite number from -2^40 to 2^40", delta);
    }
    return delta;
  }

  static int shards(int shards) {
    if (shards < 1 || shards > Counter.MOST_SHARDS) {
      throw refuse("shards", "a number from 1 to " + Counter.MOST_SHARDS, shards);
    }
    return shards;
  }

  static String name(String name) {
    return Names.requireId("increment name", name);
  }

  static Duration unwritten(Duration unwritten) {
    if (unwritten.isNegative()) {
      throw refuse("unwritten", "a duration of zero or more", unwritten);
    }
    return unwritten;
  }

  private static IllegalArgumentException refuse(String what, String expected, Object found) {
    return new IllegalArgumentException(what + ": expected " + expected + "; found " + found);
  }
}
