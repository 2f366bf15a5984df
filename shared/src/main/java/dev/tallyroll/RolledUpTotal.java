package dev.tallyroll;

import java.time.Instant;
import java.util.Objects;

/** A counter's roll-up document, as readers see it. Immutable. */
public final class RolledUpTotal {
  /** If there is no roll-up: it does not exist, and its total is 0, as of the epoch. */
  public static final RolledUpTotal NONE =
      new RolledUpTotal(false, new Total.Whole(0), Instant.EPOCH, false);

  private final boolean exists;
  private final Total total;
  private final Instant asOf;
  private final boolean isLive;

  private RolledUpTotal(boolean exists, Total total, Instant asOf, boolean isLive) {
    this.exists = exists;
    this.total = total;
    this.asOf = asOf;
    this.isLive = isLive;
  }

  /** The total of a roll-up that is there, as {@link Counter#total} gives it; for fakes, too. */
  public static RolledUpTotal of(Total total, Instant asOf, boolean isLive) {
    return new RolledUpTotal(
        true, Objects.requireNonNull(total, "total"), Objects.requireNonNull(asOf, "asOf"), isLive);
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
        && asOf.equals(that.asOf)
        && isLive == that.isLive;
  }

  @Override
  public int hashCode() {
    return Objects.hash(exists, total, asOf, isLive);
  }

  /** Such as {@code 42 as of 2026-05-01T12:00:00Z, live}; {@code none} if there is none. */
  @Override
  public String toString() {
    return exists ? total + " as of " + asOf + (isLive ? ", live" : "") : "none";
  }
}
