package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import java.time.Instant;
import java.util.Optional;

/** One compare-and-set on a roll-up document. Fields that it does not name stay as they are. */
public sealed interface Change {

  /** Takes effect only while the document is absent. */
  record Create(Sum sum, Lease lease) implements Change {}

  /**
   * Takes effect only on the version that was read.
   *
   * @param expected the version: the document's update time
   * @param sum the new total, its shards and its time; empty to leave all three
   * @param lease what becomes of the lease
   */
  record Update(Instant expected, Optional<Sum> sum, LeaseChange lease) implements Change {}

  /** Takes effect only on the version that was read. The whole document goes. */
  record Delete(Instant expected) implements Change {}

  /** Takes effect only on the version that was read. Our fields go; those of others stay. */
  record Leave(Instant expected) implements Change {}

  /** What ends the roll-up of a counter that has gone. */
  static Change end(Rollup rollup) {
    return rollup.whose() == Rollup.Whose.OURS
        ? new Delete(rollup.updateTime())
        : new Leave(rollup.updateTime());
  }

  /** What becomes of the lease in an update. */
  sealed interface LeaseChange {
    /** Not touched, whatever it is by then. */
    record Keep() implements LeaseChange {}

    /** Set, never to an earlier time than was read. */
    record Set(Lease lease) implements LeaseChange {}

    /** Removed: the counter is not live any more. */
    record Remove() implements LeaseChange {}
  }
}
