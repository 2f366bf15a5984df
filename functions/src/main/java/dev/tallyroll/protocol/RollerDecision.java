package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Instant;
import java.util.Optional;

/** What the roller does with a live counter, given a sum that was read after its roll-up. */
sealed interface RollerDecision {

  /** The sum says nothing yet: wait for the next tick. */
  record Wait() implements RollerDecision {}

  /** The sum is no number that could be stored: leave the last good total alone. */
  record Unusable() implements RollerDecision {}

  /** The total stands still and the lease goes on. */
  record Unchanged() implements RollerDecision {}

  /** Write the new total; the roll-up holds a lease until then once that has been applied. */
  record Write(Change change, Instant liveUntil) implements RollerDecision {}

  /** The promise is kept by this sum: write it and take the counter off the live list. */
  record Settle(Change change) implements RollerDecision {}

  /**
   * Decides.
   *
   * @param stored the roll-up, which holds a lease
   * @param sum read after {@code stored} was
   * @param busy whether every sum before this one, under this lease, showed a change
   */
  static RollerDecision of(Rollup stored, Sum sum, boolean busy, Timing timing) {
    Instant until = stored.liveUntil().orElseThrow();
    boolean usable = sum.total().isUsable();
    boolean changed = usable && sum.differsFrom(stored);
    // A total that was written a moment ago cannot have changed much since.
    Instant telling = stored.updateTime().plus(timing.tick().dividedBy(2));
    if (!sum.readTime().isAfter(stored.asOf())
        || (usable && !changed && sum.readTime().isBefore(telling))) {
      return new Wait();
    }
    if (changed && busy && sum.shards() > 0) {
      return goOn(stored, sum, until, timing);
    }
    if (timing.hasRunOut(until, sum.readTime())) {
      return settle(stored, sum, usable);
    }
    if (!usable) {
      return new Unusable();
    }
    return changed ? write(stored, sum, new LeaseChange.Keep(), until) : new Unchanged();
  }

  /** A busy counter stays live, however late the roller comes to it. */
  private static RollerDecision goOn(Rollup stored, Sum sum, Instant until, Timing timing) {
    boolean renew = until.isBefore(sum.readTime().plus(timing.lease().dividedBy(2)));
    Instant next = renew ? sum.readTime().plus(timing.lease()) : until;
    return write(stored, sum, renew ? new LeaseChange.Renew(next) : new LeaseChange.Keep(), next);
  }

  private static Write write(Rollup stored, Sum sum, LeaseChange lease, Instant until) {
    return new Write(new Change.Update(stored.updateTime(), Optional.of(sum), lease), until);
  }

  private static RollerDecision settle(Rollup stored, Sum sum, boolean usable) {
    if (usable && sum.shards() == 0) {
      return new Settle(Change.end(stored).orElseThrow());
    }
    // An unusable sum has been read, as promised; the write that mends it brings its own event.
    Optional<Sum> written = usable ? Optional.of(sum) : Optional.empty();
    return new Settle(new Change.Update(stored.updateTime(), written, new LeaseChange.End()));
  }
}
