package dev.tallyroll.local.up;

import dev.tallyroll.local.Operations;
import java.util.Locale;

/** What came of a run with an end. */
record Summary(
    long acknowledged,
    long rolledUp,
    long exact,
    long failed,
    long leftOut,
    int wrong,
    int backwards,
    Lags lags,
    Operations operations) {

  boolean isRight() {
    return wrong == 0 && backwards == 0;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        """
        increments acknowledged  %d (failed %d, left out %d)
        total rolled up          %d
        difference               %d (from the shards' sum; totals that are wrong: %d)
        seen going backwards     %d
        lag                      %s
        operations/increment     reads %.3f, sums %.3f, writes %.3f, deletes %.3f
        """,
        acknowledged,
        failed,
        leftOut,
        rolledUp,
        exact - rolledUp,
        wrong,
        backwards,
        lags,
        per(operations.reads()),
        per(operations.sums()),
        per(operations.writes()),
        per(operations.deletes()));
  }

  private double per(long operations) {
    return (double) operations / Math.max(1, acknowledged);
  }
}
