package dev.tallyroll;

import java.time.Instant;
import java.util.Optional;

/**
 * What a document in a roll-up's place says.
 *
 * @param total the counter's total at {@code asOf}
 * @param shards how many shard documents were summed
 * @param asOf the read time of the sum: the total is exact for what was committed by then
 * @param lease present while the counter is live
 * @param updateTime the version of the document, by Firestore's clock
 * @param whose whether it is this counter's roll-up at all
 */
public record Rollup(
    Total total,
    long shards,
    Instant asOf,
    Optional<Lease> lease,
    Instant updateTime,
    Whose whose) {

  /** Whose a document in a roll-up's place is, by its mark: the path of the counter it is of. */
  public enum Whose {
    /** It carries the mark of its own counter, and nothing but our fields. */
    OURS,
    /** It carries the mark, and fields of others beside ours. */
    SHARED,
    /** It has no mark, or another counter's: it is never written, and never deleted. */
    FOREIGN
  }

  /** A roll-up that is {@link Whose#OURS}. */
  public Rollup(Total total, long shards, Instant asOf, Optional<Lease> lease, Instant updateTime) {
    this(total, shards, asOf, lease, updateTime, Whose.OURS);
  }

  /** The sum that it holds. */
  public Sum sum() {
    return new Sum(total, shards, asOf);
  }

  /** The same at another version. */
  public Rollup at(Instant version) {
    return new Rollup(total, shards, asOf, lease, version, whose);
  }

  /** What stands once a sum and a lease have been written over it. */
  public Rollup with(Sum sum, Optional<Lease> other) {
    return new Rollup(sum.total(), sum.shards(), sum.readTime(), other, updateTime, whose);
  }

  /** Whether it is somebody else's document. */
  public boolean isForeign() {
    return whose == Whose.FOREIGN;
  }
}
