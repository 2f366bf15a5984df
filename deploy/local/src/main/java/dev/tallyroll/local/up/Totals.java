package dev.tallyroll.local.up;

import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.up.AllCounters.State;
import java.util.List;

/**
 * All counters in the database, or all folded fields, and whether each total is right. Thread-safe.
 */
interface Totals {
  /**
   * Returns all counters, as they were at most a second ago.
   *
   * @throws LocalCloudException if Firestore fails again and again
   */
  List<State> look() throws InterruptedException;

  /**
   * Compares all counters now, and returns them.
   *
   * @throws LocalCloudException as {@link #look} does
   */
  List<State> lookAtAll() throws InterruptedException;

  /** Makes the next look ask again, because something was changed. */
  void changed();

  /**
   * The advice for somebody who misses a counter; empty if there is no reason.
   *
   * @param nothingFound the advice where there is no counter at all
   */
  String advice(String nothingFound);
}
