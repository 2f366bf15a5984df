package dev.tallyroll;

import java.time.Instant;
import java.util.Objects;

/** A counter's roll-up document, as readers see it. Immutable. */
public final class RolledUpTotal {
  /** If there is no roll-up: it does not exist, and its total is 0, as of the epoch. */
  public static final RolledUpTotal NONE =
      new RolledUpTotal(false, new Total.Whole(0), 0, Instant.EPOCH, false);

  private final boolean exists;
  private final Total total;
  private final long number;
  private final Instant asOf;
  private final boolean isLive;

  private RolledUpTotal(boolean exists, Total total, long number, Instant asOf, boolean isLive) {
    this.exists = exists;
    this.total = total;
    this.number = number;
    this.asOf = asOf;
    this.isLive = isLive;
  }

  /** As {@link #of(Total, long, Instant, boolean)}, of one shard. */
  public static RolledUpTotal of(Total total, Instant asOf, boolean isLive) {
    return of(total, 1, asOf, isLive);
  }

  /**
   * The total of a roll-up that is there, as {@link CounterReader#total} gives it; for fakes, too.
   *
   * @param number of shards that were summed; below 0, which somebody else has written, it is 0
   */
  public static RolledUpTotal of(Total total, long number, Instant asOf, boolean isLive) {
    return new RolledUpTotal(
        true,
        Objects.requireNonNull(total, "total"),
        Math.max(0, number),
        Objects.requireNonNull(asOf, "asOf"),
        isLive);
  }

  /** Whether there is a total: false before a first shard was written, and of a deleted counter. */
  public boolean exists() {
    return exists;
  }

  /**
   * Exact for what was committed by {@link #asOf}; 0 if there is none. It may be not {@linkplain
   * Total#isUsable usable} only if somebody else has changed the roll-up.
   */
  public Total total() {
    return total;
  }

  /**
   * How many shards were summed. Of an app's own documents: how many have a number in the summed
   * field, NaN not among them; or how many there are, if each counts one. 0 if there is none.
   */
  public long number() {
    return number;
  }

  /**
   * The total by the number; 0 if the number is 0.
   *
   * @throws ArithmeticException unless the total is {@linkplain Total#isUsable usable}, so never
   *     NaN or an infinity
   */
  public double average() {
    if (number == 0) {
      return 0;
    }
    if (!total.isUsable()) {
      throw new ArithmeticException("average: expected a total below 2^63; found " + total);
    }
    return total.doubleValue() / number;
  }

  /** Firestore's time of the sum; {@link Instant#EPOCH} if there is none. */
  public Instant asOf() {
    return asOf;
  }

  /** Whether the counter is live: its total is then renewed about once a second. */
  public boolean isLive() {
    return isLive;
  }

  /** As {@link Total#longValue}. */
  public long longValue() {
    return total.longValue();
  }

  /** As {@link Total#doubleValue}. */
  public double doubleValue() {
    return total.doubleValue();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RolledUpTotal that
        && exists == that.exists
        && total.equals(that.total)
        && number == that.number
        && asOf.equals(that.asOf)
        && isLive == that.isLive;
  }

  @Override
  public int hashCode() {
    return Objects.hash(exists, total, number, asOf, isLive);
  }

  /** Such as {@code 42 as of 2026-05-01T12:00:00Z, live}; {@code none} if there is none. */
  @Override
  public String toString() {
    return exists ? total + " as of " + asOf + (isLive ? ", live" : "") : "none";
  }
}
