package dev.tallyroll.local.up;

import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.up.AllCounters.State;
import java.util.List;

/** The table of all counters in the database; it says whether each total is right. */
interface CounterTable {
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

  /**
   * The advice for somebody who misses a counter; empty if there is no reason.
   *
   * @param nothingFound the advice where there is no counter at all
   */
  String advice(String nothingFound);
}
