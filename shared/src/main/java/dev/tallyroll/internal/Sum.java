package dev.tallyroll.internal;

import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;

/**
 * One consistent sum of a counter's shards.
 *
 * @param total the sum of the count field over all shards that have a number in it; or how many
 *     documents there are, if these are counted
 * @param shards how many documents count: those with a number in the field, or all of them if
 *     documents are counted
 * @param readTime Firestore's time of the snapshot that was summed
 * @param remains what is there of a counter without shards, if that was looked for
 * @param took how long its caller waited for it
 */
public record Sum(Total total, long shards, Instant readTime, Remains remains, Duration took) {
  /** How far two sums of the same doubles may differ, in units of the last place for each shard. */
  private static final int ULPS_PER_SHARD = 4;

  /** What keeps a counter without shards from being gone: its total is 0 then. */
  public enum Remains {
    NOTHING,
    /** The counter's own document, where that shows totals. */
    OWN_DOCUMENT,
    /** Documents in the collection of its shards, none of which counts. */
    UNCOUNTED
  }

  /** A sum of the shards that were found. */
  public Sum(Total total, long shards, Instant readTime) {
    this(total, shards, readTime, Remains.NOTHING, Duration.ZERO);
  }

  /** The same sum over no shard, with what was found of the counter. */
  public Sum withRemains(Remains found) {
    return new Sum(total, shards, readTime, found, took);
  }

  /** The same sum, after so long. */
  public Sum after(Duration waited) {
    return new Sum(total, shards, readTime, remains, waited);
  }

  /** Whether there is nothing of the counter, so that its roll-up goes, too. */
  public boolean isOfNothing() {
    return shards == 0 && remains == Remains.NOTHING;
  }

  /** Whether the sum may be written. If not, the last good total stays. */
  public boolean isUsable() {
    return total.isUsable();
  }

  /**
   * Whether the shards have changed since that total. Firestore adds doubles in any order, so a
   * difference in their last digits is no change.
   */
  public boolean differsFrom(Rollup rollup) {
    return shards != rollup.shards() || !isSame(total, rollup.total());
  }

  /** Whether both sums are equal to the last digit, whenever they were read. */
  public boolean isExactly(Sum other) {
    return shards == other.shards && total.equals(other.total);
  }

  /**
   * Whether it differs from what is shown by at least this part, in its total or in the number of
   * shards; or cannot be compared.
   */
  public boolean isFarFrom(Rollup shown, double part) {
    return isFar(total.doubleValue(), shown.total().doubleValue(), part)
        || isFar((double) shards, (double) shown.shards(), part);
  }

  private static boolean isFar(double now, double shown, double part) {
    return now != shown && (now == 0 || !(Math.abs(now - shown) < part * Math.abs(shown)));
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
