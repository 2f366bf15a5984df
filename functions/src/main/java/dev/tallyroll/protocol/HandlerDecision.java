package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.util.Optional;
import java.util.function.IntSupplier;

/** What the handler of a shard write does with a roll-up it read and a sum it read after that. */
public sealed interface HandlerDecision {

  /** The sum is not newer than the roll-up: sum once more. */
  record SumAgain() implements HandlerDecision {}

  /** The sum is no number that could be stored: leave the last good total alone. */
  record Unusable() implements HandlerDecision {}

  /** Nothing needs to be written. */
  record Done() implements HandlerDecision {}

  /**
   * Write, and start again if it is refused.
   *
   * @param stands the roll-up once that has been applied, but for its version
   * @param wake whether the roller must hear of it
   */
  record Write(Change change, Optional<Rollup> stands, boolean wake) implements HandlerDecision {}

  /**
   * Decides.
   *
   * @param stored the roll-up; empty if there is none
   * @param sum read after {@code stored} was
   * @param burst whether the counter is to be live
   * @param randomLane gives a lane for a counter that becomes live
   */
  static HandlerDecision of(
      Optional<Rollup> stored, Sum sum, boolean burst, Timing timing, IntSupplier randomLane) {
    if (stored.isPresent() && !sum.readTime().isAfter(stored.get().asOf())) {
      return new SumAgain();
    }
    if (!sum.total().isUsable()) {
      return new Unusable();
    }
    return stored
        .map(rollup -> replace(rollup, sum, burst, timing, randomLane))
        .orElseGet(() -> create(sum, randomLane));
  }

  private static HandlerDecision create(Sum sum, IntSupplier randomLane) {
    if (sum.shards() == 0) {
      return new Done();
    }
    // An absent document has no version to compare, so a sum by the roller must follow this one.
    Lease lease = new Lease(sum.readTime(), randomLane.getAsInt());
    Rollup stands =
        new Rollup(sum.total(), sum.shards(), sum.readTime(), Optional.of(lease), sum.readTime());
    return new Write(new Change.Create(sum, lease), Optional.of(stands), true);
  }

  private static HandlerDecision replace(
      Rollup stored, Sum sum, boolean burst, Timing timing, IntSupplier randomLane) {
    Optional<Lease> lease = stored.lease();
    if (sum.shards() == 0 && Leases.hasRunOut(lease, sum.readTime(), timing)) {
      return new Write(Change.end(stored), Optional.empty(), false);
    }
    if (burst) {
      Lease longer = Leases.extended(lease, sum.readTime().plus(timing.lease()), randomLane);
      return write(stored, sum, new LeaseChange.Set(longer), Optional.of(longer));
    }
    return write(stored, sum, new LeaseChange.Keep(), lease);
  }

  private static Write write(Rollup stored, Sum sum, LeaseChange change, Optional<Lease> lease) {
    return new Write(
        new Change.Update(stored.updateTime(), Optional.of(sum), change),
        Optional.of(stored.with(sum, lease)),
        change instanceof LeaseChange.Set);
  }
}
