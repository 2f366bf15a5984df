package dev.tallyroll.local.chaos;

import dev.tallyroll.local.Drift;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One sweep over everything, asked for as the schedule does, once no event is on its way: what it
 * corrects was lost. Used by one thread.
 */
public final class FullSweep {
  /** Events wait for up to 10 s before they are sent again, some of them several times. */
  private static final Duration QUIET_WITHIN = Duration.ofMinutes(2);

  private static final Duration SWEPT_WITHIN = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 50;

  private FullSweep() {}

  /**
   * Sweeps, and returns when that is done. For databases that are swept in one part.
   *
   * @return the totals that were wrong
   * @throws IllegalStateException if events keep coming, or the sweep does not end
   */
  public static List<Drift> of(LocalCloud cloud) throws InterruptedException {
    await("no event to be on its way", QUIET_WITHIN, cloud::quiet);
    var before = cloud.rollUp().sweeps();
    cloud.sweep();
    await("the sweep to end", SWEPT_WITHIN, () -> cloud.rollUp().sweeps().parts() > before.parts());
    var all = cloud.rollUp().sweeps().drift();
    return all.subList(before.drift().size(), all.size());
  }

  private static void await(String expected, Duration limit, BooleanSupplier isSo)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("expected " + expected + " within " + limit);
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }
}
