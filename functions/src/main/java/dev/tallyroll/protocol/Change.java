package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import java.time.Instant;
import java.util.Optional;

/**
 * One compare-and-set on a roll-up document, and what goes with it in the live list: one commit,
 * which takes effect as a whole or not at all. Fields that it does not name stay as they are.
 */
public sealed interface Change {

  /** Takes effect only while the document is absent. The counter gets its entry in the list. */
  record Create(Sum sum, Instant liveUntil) implements Change {}

  /**
   * Takes effect only on the version that was read.
   *
   * @param expected the version: the document's update time
   * @param sum the new total, its shards and its time; empty to leave all three
   * @param lease what becomes of the lease
   */
  record Update(Instant expected, Optional<Sum> sum, LeaseChange lease) implements Change {}

  /**
   * Takes effect only on the version that was read. The counter's entry in the list goes, too.
   *
   * @param whole whether the document goes, rather than only our fields of it
   */
  record Remove(Instant expected, boolean whole) implements Change {}

  /**
   * What ends the roll-up of a counter that has gone. A document in which no total was ever written
   * stays: somebody has handed it over by its mark.
   */
  static Optional<Change> end(Rollup rollup) {
    if (rollup.wasWritten()) {
      boolean whole = rollup.whose() == Rollup.Whose.OURS;
      return Optional.of(new Remove(rollup.updateTime(), whole));
    }
    return rollup
        .liveUntil()
        .map(until -> new Update(rollup.updateTime(), Optional.empty(), new LeaseChange.End()));
  }

  /** What becomes of the lease in an update. */
  sealed interface LeaseChange {
    /** Not touched, whatever it is by then. */
    record Keep() implements LeaseChange {}

    /** The counter becomes live: it gets a lease, and its entry in the list. */
    record Begin(Instant until) implements LeaseChange {}

    /** The lease ends later; the entry is there. */
    record Renew(Instant until) implements LeaseChange {}

    /** The counter is not live any more: its lease and its entry go. */
    record End() implements LeaseChange {}
  }
}
