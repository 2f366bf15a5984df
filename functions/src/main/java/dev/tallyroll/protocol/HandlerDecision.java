package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Instant;
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
   * @param lease the lease that stands once the write has been applied
   * @param wake whether the roller must hear of it
   */
  record Write(Change change, Optional<Lease> lease, boolean wake) implements HandlerDecision {}

  /**
   * Decides.
   *
   * @param stored the roll-up; empty if there is none
   * @param sum read after {@code stored} was
   * @param randomLane gives a lane for a counter that becomes live
   */
  static HandlerDecision of(
      Optional<Rollup> stored, Sum sum, Timing timing, IntSupplier randomLane) {
    if (stored.isPresent() && !sum.readTime().isAfter(stored.get().asOf())) {
      return new SumAgain();
    }
    if (!sum.total().isUsable()) {
      return new Unusable();
    }
    return stored
        .map(rollup -> replace(rollup, sum, timing, randomLane))
        .orElseGet(() -> create(sum, randomLane));
  }

  private static HandlerDecision create(Sum sum, IntSupplier randomLane) {
    if (sum.shards() == 0) {
      return new Done();
    }
    // An absent document has no version to compare, so a sum by the roller must follow this one.
    Lease lease = new Lease(sum.readTime(), randomLane.getAsInt());
    return new Write(new Change.Create(sum, lease), Optional.of(lease), true);
  }

  private static HandlerDecision replace(
      Rollup stored, Sum sum, Timing timing, IntSupplier randomLane) {
    Optional<Lease> lease = stored.lease();
    if (sum.shards() == 0 && Leases.hasRunOut(lease, sum.readTime(), timing)) {
      return new Write(new Change.Delete(stored.updateTime()), Optional.empty(), false);
    }
    if (sum.readTime().isBefore(stored.updateTime().plus(timing.tick()))) {
      Lease longer = Leases.extended(lease, sum.readTime().plus(timing.lease()), randomLane);
      return write(stored.updateTime(), sum, new LeaseChange.Set(longer), Optional.of(longer));
    }
    return write(stored.updateTime(), sum, new LeaseChange.Keep(), lease);
  }

  private static Write write(Instant expected, Sum sum, LeaseChange change, Optional<Lease> lease) {
    boolean wake = change instanceof LeaseChange.Set;
    return new Write(new Change.Update(expected, Optional.of(sum), change), lease, wake);
  }
}
