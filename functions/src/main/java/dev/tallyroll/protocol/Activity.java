package dev.tallyroll.protocol;

/**
 * How often a live counter was summed under its lease, and how often that showed a change.
 *
 * @param sums sums read under this lease
 * @param changes those that differed from the one before
 */
public record Activity(int sums, int changes) {
  static final Activity NONE = new Activity(0, 0);

  Activity with(boolean changed) {
    return new Activity(sums + 1, changed ? changes + 1 : changes);
  }

  /** Busy enough for the roller: a counter that changes less is cheaper on the handler's path. */
  boolean isBusy() {
    return 2 * changes >= sums;
  }
}
