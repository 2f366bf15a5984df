package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntSupplier;

/** The rules of leases: when one may be dropped, and how one is extended. */
final class Leases {
  private Leases() {}

  /** Whether a sum read at {@code readTime} keeps the promise, so that the lease may be dropped. */
  static boolean hasRunOut(Lease lease, Instant readTime, Timing timing) {
    return readTime.isAfter(lease.until().plus(timing.slack()));
  }

  static boolean hasRunOut(Optional<Lease> lease, Instant readTime, Timing timing) {
    return lease.map(held -> hasRunOut(held, readTime, timing)).orElse(true);
  }

  /** A lease until at least {@code until}: one that is held already is never shortened. */
  static Lease extended(Optional<Lease> held, Instant until, IntSupplier randomLane) {
    if (held.isEmpty()) {
      return new Lease(until, randomLane.getAsInt());
    }
    Lease lease = held.get();
    int lane = lease.lane() == Lease.NO_LANE ? randomLane.getAsInt() : lease.lane();
    return new Lease(lease.until().isAfter(until) ? lease.until() : until, lane);
  }
}
