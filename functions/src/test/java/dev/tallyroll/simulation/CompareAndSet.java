package dev.tallyroll.simulation;

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
    return Optional.of(
        change instanceof Change.Update update
            ? update.expected()
            : ((Change.Remove) change).expected());
  }

  /**
   * The roll-up after a write that {@link #passes}; empty after a delete, and when our fields have
   * gone from a document of others.
   */
  public static Optional<Rollup> applied(Change change, Optional<Rollup> held, Instant now) {
    if (change instanceof Change.Create create) {
      return Optional.of(rollup(create.sum(), Optional.of(create.liveUntil()), now));
    }
    if (change instanceof Change.Update update) {
      Rollup old = held.orElseThrow();
      Sum sum = update.sum().orElse(new Sum(old.total(), old.shards(), old.asOf()));
      return Optional.of(old.with(sum, liveUntil(update.lease(), old)).at(now));
    }
    return Optional.empty();
  }

  private static Optional<Instant> liveUntil(LeaseChange change, Rollup old) {
    if (change instanceof LeaseChange.Begin begin) {
      return Optional.of(begin.until());
    }
    if (change instanceof LeaseChange.Renew renew) {
      return Optional.of(renew.until());
    }
    return change instanceof LeaseChange.Keep ? old.liveUntil() : Optional.empty();
  }

  /** Whether the counter has an entry in the live list after the write, if it had one before. */
  public static boolean isListed(Change change, boolean before) {
    return change instanceof Change.Create
        || (change instanceof Change.Update update
            && (update.lease() instanceof LeaseChange.Begin
                || (before && !(update.lease() instanceof LeaseChange.End))));
  }

  public static Rollup rollup(Sum sum, Optional<Instant> liveUntil, Instant updateTime) {
    return new Rollup(sum.total(), sum.shards(), sum.readTime(), liveUntil, updateTime);
  }
}
