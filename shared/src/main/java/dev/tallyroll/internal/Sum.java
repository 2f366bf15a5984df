package dev.tallyroll.internal;

import dev.tallyroll.Total;
import java.time.Instant;

/**
 * One consistent sum of a counter's shards.
 *
 * @param total the sum of the count field over all shards that have a number in it
 * @param shards how many shards have the field
 * @param readTime Firestore's time of the snapshot that was summed
 * @param isMisplaced whether the counter has documents, but none of them has the count field where
 *     it is expected: the total is then 0, and must not be written
 */
public record Sum(Total total, long shards, Instant readTime, boolean isMisplaced) {
  /** How far two sums of the same doubles may differ, in units of the last place for each shard. */
  private static final int ULPS_PER_SHARD = 4;

  /** A sum of the shards that were found. */
  public Sum(Total total, long shards, Instant readTime) {
    this(total, shards, readTime, /* isMisplaced= */ false);
  }

  /** The sum of a counter whose shards are not where they are expected. */
  public static Sum misplaced(Instant readTime) {
    return new Sum(new Total.Whole(0), 0, readTime, /* isMisplaced= */ true);
  }

  /** Whether it may be written. If not, the last good total stays. */
  public boolean isUsable() {
    return !isMisplaced && total.isUsable();
  }

  /**
   * Whether the shards have changed since that total. Firestore adds doubles in any order, so a
   * difference in their last digits is no change.
   */
  public boolean differsFrom(Rollup rollup) {
    return shards != rollup.shards() || !isSame(total, rollup.total());
  }

  private boolean isSame(Total one, Total other) {
    if (one.equals(other) || !one.isUsable() || !other.isUsable()) {
      return one.equals(other);
    }
    double magnitude = Math.max(Math.abs(one.doubleValue()), Math.abs(other.doubleValue()));
    return one instanceof Total.Fraction
        && other instanceof Total.Fraction
        && Math.abs(one.doubleValue() - other.doubleValue())
            <= ULPS_PER_SHARD * shards * Math.ulp(magnitude);
  }
}
