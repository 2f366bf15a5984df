package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.util.Optional;
import java.util.function.IntSupplier;

/** What the sweep does with a roll-up it read and a sum it read after that. */
public sealed interface SweepDecision {

  /** The total is right, or its counter is live and so somebody else's. */
  record Right() implements SweepDecision {}

  /** The sum is no number that could be stored, or is not newer than the roll-up. */
  record Unusable() implements SweepDecision {}

  /**
   * Write.
   *
   * @param drift whether a total is put right, rather than a lease ended that nobody has ended
   */
  record Correct(Change change, boolean drift) implements SweepDecision {}

  /**
   * Decides.
   *
   * @param stored the roll-up; empty if there is none
   * @param sum read after {@code stored} was
   * @param randomLane gives a lane for a roll-up that is created
   */
  static SweepDecision of(Optional<Rollup> stored, Sum sum, Timing timing, IntSupplier randomLane) {
    if (!sum.total().isUsable()
        || stored.map(rollup -> !sum.readTime().isAfter(rollup.asOf())).orElse(false)) {
      return new Unusable();
    }
    return stored
        .map(rollup -> check(rollup, sum, timing))
        .orElseGet(() -> create(sum, randomLane));
  }

  private static SweepDecision create(Sum sum, IntSupplier randomLane) {
    return sum.shards() == 0
        ? new Right()
        : new Correct(
            new Change.Create(sum, new Lease(sum.readTime(), randomLane.getAsInt())), true);
  }

  private static SweepDecision check(Rollup stored, Sum sum, Timing timing) {
    boolean drift = sum.differsFrom(stored);
    boolean settled = stored.lease().isEmpty();
    if (!Leases.hasRunOut(stored.lease(), sum.readTime(), timing) || (settled && !drift)) {
      return new Right();
    }
    if (sum.shards() == 0) {
      return new Correct(Change.end(stored), drift);
    }
    LeaseChange lease = settled ? new LeaseChange.Keep() : new LeaseChange.Remove();
    return new Correct(
        new Change.Update(stored.updateTime(), Optional.of(sum), lease), drift && settled);
  }
}
