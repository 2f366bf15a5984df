package dev.tallyroll.local.up;

import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.up.AllCounters.State;
import java.util.List;

/** All that is counted in the database, and whether each total is right. */
interface CounterTable {
  /**
   * What is counted now, or was less than a second ago.
   *
   * @throws LocalCloudException if Firestore fails again and again
   */
  List<State> look() throws InterruptedException;

  /**
   * All that is counted, each compared now.
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
