package dev.tallyroll.internal;

import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One consistent sum of a counter's shards.
 *
 * @param total the sum of the count field over all shards that have a number in it; or how many
 *     documents there are, if these are counted
 * @param shards how many shards have the field
 * @param readTime Firestore's time of the snapshot that was summed
 * @param doubt why a sum over no shard does not mean that the counter was deleted: the total is
 *     then 0, and must not be written
 * @param remains what is there of a counter without shards, if that was looked for
 * @param took how long its caller waited for it
 */
public record Sum(
    Total total,
    long shards,
    Instant readTime,
    Optional<Doubt> doubt,
    Remains remains,
    Duration took) {
  /** How far two sums of the same doubles may differ, in units of the last place for each shard. */
  private static final int ULPS_PER_SHARD = 4;

  /**
   * Why a counter may still have shards, although the sum has found none.
   *
   * @param cause what is wrong
   * @param found what was read
   */
  public record Doubt(Cause cause, String found) {}

  /** A cause of a doubt. */
  public enum Cause {
    /** Documents are in the collection of its shards, but none of them has the count field. */
    NO_FIELD,
    /** The document of the confirmed settings is missing. */
    NO_SETTINGS,
    /** That document is foreign, or has other settings: nothing may be written at all. */
    OTHER_SETTINGS
  }

  /**
   * What keeps a counter without shards from being gone, where totals are shown in counters' own
   * documents: its total is 0 then.
   */
  public enum Remains {
    NOTHING,
    /** Its own document. */
    OWN_DOCUMENT,
    /** Documents in the collection of its shards, none of which has the count field. */
    UNCOUNTED
  }

  /** A sum of the shards that were found. */
  public Sum(Total total, long shards, Instant readTime) {
    this(total, shards, readTime, /* doubt= */ Optional.empty(), Remains.NOTHING, Duration.ZERO);
  }

  /** The same sum over no shard, with a doubt. */
  public Sum doubted(Cause cause, String found) {
    return new Sum(total, shards, readTime, Optional.of(new Doubt(cause, found)), remains, took);
  }

  /** The same sum over no shard, with what was found of the counter. */
  public Sum over(Remains found) {
    return new Sum(total, shards, readTime, doubt, found, took);
  }

  /** The same sum, after so long. */
  public Sum after(Duration waited) {
    return new Sum(total, shards, readTime, doubt, remains, waited);
  }

  /** Whether there is nothing of the counter, so that its roll-up goes, too. */
  public boolean isOfNothing() {
    return shards == 0 && remains == Remains.NOTHING;
  }

  /** Whether there is a doubt of this cause. */
  public boolean isDoubted(Cause cause) {
    return doubt.filter(reason -> reason.cause() == cause).isPresent();
  }

  /** Whether its settings are not those that totals were made with, as far as is known. */
  public boolean isUnconfirmed() {
    return isDoubted(Cause.NO_SETTINGS) || isDoubted(Cause.OTHER_SETTINGS);
  }

  /** Whether it may be written. If not, the last good total stays. */
  public boolean isUsable() {
    return doubt.isEmpty() && total.isUsable();
  }

  /**
   * Whether the shards have changed since that total. Firestore adds doubles in any order, so a
   * difference in their last digits is no change.
   */
  public boolean differsFrom(Rollup rollup) {
    return shards != rollup.shards() || !isSame(total, rollup.total());
  }

  /** Whether it is that sum to the last digit, whenever that was read. */
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
