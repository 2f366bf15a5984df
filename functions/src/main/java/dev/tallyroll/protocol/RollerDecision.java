package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.util.Optional;

/** What the roller does with a live counter, given a sum that was read after its roll-up. */
public sealed interface RollerDecision {

  /** The sum is not newer than the roll-up: wait for the next tick. */
  record Wait() implements RollerDecision {}

  /** The sum is no number that could be stored: leave the last good total alone. */
  record Unusable() implements RollerDecision {}

  /** The total stands still and the lease goes on. */
  record Unchanged() implements RollerDecision {}

  /** Write the new total; {@code lease} stands once that has been applied. */
  record Write(Change change, Lease lease) implements RollerDecision {}

  /** The promise is kept by this sum: write it and take the counter off the live list. */
  record Settle(Change change) implements RollerDecision {}

  /**
   * Decides.
   *
   * @param stored the roll-up
   * @param lease the lease that it holds
   * @param sum read after {@code stored} was
   * @param activity of the counter under this lease, this sum included
   */
  static RollerDecision of(Rollup stored, Lease lease, Sum sum, Activity activity, Timing timing) {
    if (!sum.readTime().isAfter(stored.asOf())) {
      return new Wait();
    }
    boolean usable = sum.total().isUsable();
    boolean changed = usable && sum.differsFrom(stored);
    // A busy counter stays live, however late the roller comes to it.
    boolean busy = changed && activity.isBusy() && sum.shards() > 0;
    // What a handler has written a moment ago says nothing of the moments after it.
    boolean quiet = changed || !sum.readTime().isBefore(stored.updateTime().plus(timing.tick()));
    if (Leases.hasRunOut(lease, sum.readTime(), timing) && !busy && (quiet || !usable)) {
      return settle(stored, sum, usable);
    }
    if (!usable) {
      return new Unusable();
    }
    return changed ? write(stored, lease, sum, busy, timing) : new Unchanged();
  }

  private static RollerDecision settle(Rollup stored, Sum sum, boolean usable) {
    if (usable && sum.shards() == 0) {
      return new Settle(Change.end(stored));
    }
    // An unusable sum has been read, as promised; the write that mends it brings its own event.
    Optional<Sum> written = usable ? Optional.of(sum) : Optional.empty();
    return new Settle(new Change.Update(stored.updateTime(), written, new LeaseChange.Remove()));
  }

  private static RollerDecision write(
      Rollup stored, Lease lease, Sum sum, boolean busy, Timing timing) {
    boolean renew =
        busy && lease.until().isBefore(sum.readTime().plus(timing.lease().dividedBy(2)));
    Lease next = renew ? new Lease(sum.readTime().plus(timing.lease()), lease.lane()) : lease;
    LeaseChange change = renew ? new LeaseChange.Set(next) : new LeaseChange.Keep();
    return new Write(new Change.Update(stored.updateTime(), Optional.of(sum), change), next);
  }
}
