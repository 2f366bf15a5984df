package dev.tallyroll.internal;

import dev.tallyroll.Total;
import java.time.Instant;
import java.util.Optional;

/**
 * The content of a document in a roll-up's place.
 *
 * @param total the counter's total at {@code asOf}
 * @param shards how many shard documents were summed
 * @param asOf the read time of the sum: the total is exact for what was committed by then
 * @param liveUntil the end of its lease: RollUp guarantees one more sum after this time; empty
 *     while the counter is not live
 * @param updateTime the version of the document, by Firestore's clock
 * @param whose whose document it is
 */
public record Rollup(
    Total total,
    long shards,
    Instant asOf,
    Optional<Instant> liveUntil,
    Instant updateTime,
    Whose whose) {

  /** The owner of a document in a roll-up's place, by its {@link Mark}. */
  public enum Whose {
    /** The document has the mark, and only our fields. */
    OURS,
    /** The document has the mark, and fields of others beside ours. */
    SHARED,
    /** The document has no mark, or another one. The functions never write or delete it. */
    FOREIGN
  }

  /** A roll-up that is {@link Whose#OURS}. */
  public Rollup(
      Total total, long shards, Instant asOf, Optional<Instant> liveUntil, Instant updateTime) {
    this(total, shards, asOf, liveUntil, updateTime, Whose.OURS);
  }

  /** The document that a sum creates. */
  public static Rollup of(Sum sum, Optional<Instant> liveUntil, Instant updateTime) {
    return new Rollup(sum.total(), sum.shards(), sum.readTime(), liveUntil, updateTime);
  }

  /** The sum that it holds. */
  public Sum sum() {
    return new Sum(total, shards, asOf);
  }

  /** The same at another version. */
  public Rollup at(Instant version) {
    return new Rollup(total, shards, asOf, liveUntil, version, whose);
  }

  /** The document after a sum and a lease have been written over this one. */
  public Rollup with(Sum sum, Optional<Instant> other) {
    return new Rollup(sum.total(), sum.shards(), sum.readTime(), other, updateTime, whose);
  }

  /**
   * Whether the functions have ever written a total here. If somebody else has set the mark, or
   * damaged {@code as_of}, they have not, and never remove the document.
   */
  public boolean wasWritten() {
    return !asOf.equals(Instant.EPOCH);
  }

  /** Whether the roll-up shows a total of 0 over no shard. */
  public boolean isEmptied() {
    return shards == 0 && total.doubleValue() == 0;
  }

  /** Whether the document is somebody else's. */
  public boolean isForeign() {
    return whose == Whose.FOREIGN;
  }
}
