package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A counter on the live list, as its roller knows it. Used on the event loop only. */
final class LiveCounter {
  final CounterPath path;
  private Rollup rollup;
  private Activity activity = Activity.NONE;
  private boolean underWay;
  private boolean own;
  private @Nullable Rollup found;

  /**
   * @param rollup has a lease, as has every roll-up that is passed to this class
   */
  LiveCounter(CounterPath path, Rollup rollup) {
    this.path = path;
    this.rollup = rollup;
  }

  /**
   * Takes over what was read, unless this roller has written something newer. A sum that is under
   * way began before the read, so what is read meanwhile is for the next one.
   *
   * @return whether it has been taken over now
   */
  boolean refresh(Rollup read) {
    if (!underWay) {
      return adopt(read);
    }
    if (found == null || read.updateTime().isAfter(found.updateTime())) {
      found = read;
    }
    return false;
  }

  /** As {@link #refresh}, for what is read after a refused write, with no sum under way. */
  boolean adopt(Rollup read) {
    boolean newer = read.updateTime().isAfter(rollup.updateTime());
    if (newer) {
      own = false;
      replace(read);
    }
    return newer;
  }

  RollerDecision decide(Sum sum, Timing timing) {
    boolean changed = sum.differsFrom(rollup);
    // A sum right after somebody else's write says nothing of how busy the counter is.
    Instant telling = own ? Instant.MIN : rollup.updateTime().plus(timing.tick().dividedBy(2));
    if (changed || !sum.readTime().isBefore(telling)) {
      activity = activity.with(changed);
    }
    return RollerDecision.of(rollup, lease(rollup), sum, activity, timing);
  }

  /** Notes what this roller has written. */
  void written(Sum sum, Lease held, Instant updateTime) {
    own = true;
    replace(rollup.with(sum, Optional.of(held)).at(updateTime));
  }

  private void replace(Rollup other) {
    if (!lease(other).until().equals(lease(rollup).until())) {
      activity = Activity.NONE;
    }
    rollup = other;
  }

  private static Lease lease(Rollup rollup) {
    return rollup.lease().orElseThrow();
  }

  boolean isUnderWay() {
    return underWay;
  }

  /** A sum begins. */
  void begin() {
    underWay = true;
  }

  /** The sum, and what came of it, has ended. */
  void end() {
    underWay = false;
    Rollup waiting = found;
    found = null;
    if (waiting != null) {
      adopt(waiting);
    }
  }
}
