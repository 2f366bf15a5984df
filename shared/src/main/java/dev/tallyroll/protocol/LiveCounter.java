package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import java.time.Instant;
import java.util.Optional;

/** A counter on the live list, as its roller knows it. Used on the event loop only. */
final class LiveCounter {
  final CounterPath path;
  private Rollup rollup;
  private Lease lease;
  private Activity activity = Activity.NONE;
  private boolean inFlight;
  private Runnable next = () -> {};

  LiveCounter(CounterPath path, Rollup rollup, Lease lease) {
    this.path = path;
    this.rollup = rollup;
    this.lease = lease;
  }

  /**
   * Takes over what was read, unless this roller has written something newer. A sum that is under
   * way began before the read, so what is read meanwhile is for the next one.
   *
   * @return whether it has been taken over now
   */
  boolean refresh(Rollup read, Lease held) {
    if (inFlight) {
      next = () -> adopt(read, held);
      return false;
    }
    return adopt(read, held);
  }

  /** As {@link #refresh}, for what is read after a refused write, with no sum under way. */
  boolean adopt(Rollup read, Lease held) {
    boolean newer = read.updateTime().isAfter(rollup.updateTime());
    if (newer) {
      rollup = read;
      changeLease(held);
    }
    return newer;
  }

  RollerDecision decide(Sum sum, Timing timing) {
    activity = activity.with(sum.differsFrom(rollup));
    return RollerDecision.of(rollup, lease, sum, activity, timing);
  }

  /** Notes what this roller has written. */
  void written(Sum sum, Lease held, Instant updateTime) {
    rollup = new Rollup(sum.total(), sum.shards(), sum.readTime(), Optional.of(held), updateTime);
    changeLease(held);
  }

  private void changeLease(Lease held) {
    if (!held.until().equals(lease.until())) {
      activity = Activity.NONE;
    }
    lease = held;
  }

  boolean isInFlight() {
    return inFlight;
  }

  /** A sum begins. */
  void takeOff() {
    inFlight = true;
  }

  /** The sum, and what came of it, has ended. */
  void land() {
    inFlight = false;
    next.run();
    next = () -> {};
  }
}
