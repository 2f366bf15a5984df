package dev.tallyroll.simulation;

import dev.tallyroll.Lease;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A compare-and-set before it has a side's own times. */
sealed interface PlannedChange {
  /** The change with the times of one side. */
  Change with(List<Sum> sums, String document, Chronicle chronicle);

  /** A lease that ends so long after the start. */
  record PlannedLease(Duration until, int lane) {
    Lease with(Chronicle chronicle) {
      return new Lease(chronicle.time(until), lane);
    }
  }

  /**
   * Creates the roll-up.
   *
   * @param sum picks one of the sums so far
   */
  record Create(int sum, PlannedLease lease) implements PlannedChange {
    @Override
    public Change with(List<Sum> sums, String document, Chronicle chronicle) {
      return new Change.Create(sums.get(sum % sums.size()), lease.with(chronicle));
    }
  }

  /**
   * Updates the roll-up.
   *
   * @param sum picks one of the sums so far
   * @param set the lease to set; empty to keep or remove what is there
   */
  record Update(Version version, OptionalInt sum, Optional<PlannedLease> set, boolean keep)
      implements PlannedChange {
    @Override
    public Change with(List<Sum> sums, String document, Chronicle chronicle) {
      Optional<Sum> written =
          sum.isPresent() ? Optional.of(sums.get(sum.getAsInt() % sums.size())) : Optional.empty();
      LeaseChange otherwise = keep ? new LeaseChange.Keep() : new LeaseChange.Remove();
      return new Change.Update(
          version.of(document, chronicle),
          written,
          set.<LeaseChange>map(lease -> new LeaseChange.Set(lease.with(chronicle)))
              .orElse(otherwise));
    }
  }

  /** Deletes the roll-up. */
  record Delete(Version version) implements PlannedChange {
    @Override
    public Change with(List<Sum> sums, String document, Chronicle chronicle) {
      return new Change.Delete(version.of(document, chronicle));
    }
  }
}
