package dev.tallyroll.simulation;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Instant;
import java.util.Optional;

/** What a write of a roll-up does, as Firestore does it. Pure. */
public final class CompareAndSet {
  private CompareAndSet() {}

  /** Whether the roll-up is as the writer expects it. */
  public static boolean passes(Change change, Optional<Rollup> held) {
    return expected(change).equals(held.map(Rollup::updateTime));
  }

  private static Optional<Instant> expected(Change change) {
    if (change instanceof Change.Create) {
      return Optional.empty();
    }
    if (change instanceof Change.Leave leave) {
      return Optional.of(leave.expected());
    }
    return Optional.of(
        change instanceof Change.Update update
            ? update.expected()
            : ((Change.Delete) change).expected());
  }

  /**
   * The roll-up after a write that {@link #passes}; empty after a delete, and when our fields have
   * gone from a document of others.
   */
  public static Optional<Rollup> applied(Change change, Optional<Rollup> held, Instant now) {
    if (change instanceof Change.Create create) {
      return Optional.of(rollup(create.sum(), Optional.of(create.lease()), now));
    }
    if (change instanceof Change.Update update) {
      Rollup old = held.orElseThrow();
      Sum sum = update.sum().orElse(new Sum(old.total(), old.shards(), old.asOf()));
      return Optional.of(old.with(sum, lease(update.lease(), old)).at(now));
    }
    return Optional.empty();
  }

  private static Optional<Lease> lease(LeaseChange change, Rollup old) {
    if (change instanceof LeaseChange.Set set) {
      return Optional.of(set.lease());
    }
    return change instanceof LeaseChange.Keep ? old.lease() : Optional.empty();
  }

  public static Rollup rollup(Sum sum, Optional<Lease> lease, Instant updateTime) {
    return new Rollup(sum.total(), sum.shards(), sum.readTime(), lease, updateTime);
  }
}
