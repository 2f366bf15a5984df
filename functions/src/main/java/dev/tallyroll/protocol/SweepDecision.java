package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.util.Optional;

/** What the sweep does with a roll-up it read and a sum it read after that. */
sealed interface SweepDecision {

  /** The total is right, or its counter is live and so the roller's. */
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
   */
  static SweepDecision of(Optional<Rollup> stored, Sum sum, Timing timing) {
    if (!sum.total().isUsable()
        || stored.map(rollup -> !sum.readTime().isAfter(rollup.asOf())).orElse(false)) {
      return new Unusable();
    }
    if (stored.isPresent()) {
      return check(stored.get(), sum, timing);
    }
    return sum.shards() == 0
        ? new Right()
        : new Correct(new Change.Create(sum, sum.readTime()), true);
  }

  private static SweepDecision check(Rollup stored, Sum sum, Timing timing) {
    boolean drift = sum.differsFrom(stored);
    boolean settled = stored.liveUntil().isEmpty();
    if (settled ? !drift : !timing.hasRunOut(stored.liveUntil().get(), sum.readTime())) {
      return new Right();
    }
    if (sum.shards() == 0) {
      return Change.end(stored)
          .<SweepDecision>map(end -> new Correct(end, drift && stored.wasWritten()))
          .orElse(new Right());
    }
    LeaseChange lease = settled ? new LeaseChange.Keep() : new LeaseChange.End();
    return new Correct(
        new Change.Update(stored.updateTime(), Optional.of(sum), lease), drift && settled);
  }
}
