package dev.tallyroll.internal;

import dev.tallyroll.Total;
import java.time.Instant;

/**
 * One consistent sum of a counter's shards.
 *
 * @param total the sum of the count field over all shards that have a number in it
 * @param shards how many shards have the field
 * @param readTime Firestore's time of the snapshot that was summed
 */
public record Sum(Total total, long shards, Instant readTime) {
  private static final Total NO_TOTAL = new Total.Fraction(Double.NaN);

  /**
   * Stands for the sum of a counter that has not gone, but none of whose documents has the count
   * field where it is expected. Its total is not usable: the last good one stays.
   */
  public static Sum misplaced(Instant readTime) {
    return new Sum(NO_TOTAL, 0, readTime);
  }

  /** Whether this is {@link #misplaced}. */
  public boolean isMisplaced() {
    return shards == 0 && !total.isUsable();
  }

  public boolean differsFrom(Rollup rollup) {
    return !total.equals(rollup.total()) || shards != rollup.shards();
  }
}
