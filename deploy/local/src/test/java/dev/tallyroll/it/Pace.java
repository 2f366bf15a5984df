package dev.tallyroll.it;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Repeats a step in the background until it is closed; the step must not throw. Thread-safe. */
final class Pace implements AutoCloseable {
  private static final int STOP_WITHIN_SECONDS = 30;

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

  /** Makes up for steps that were late. */
  static Pace atRate(Runnable step, Duration period) {
    var pace = new Pace();
    var unused = pace.thread.scheduleAtFixedRate(step, 0, period.toNanos(), TimeUnit.NANOSECONDS);
    return pace;
  }

  static Pace withPause(Runnable step, Duration pause) {
    var pace = new Pace();
    var unused = pace.thread.scheduleWithFixedDelay(step, 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    return pace;
  }

  /** Returns after the last step. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STOP_WITHIN_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("expected the last step to end in " + STOP_WITHIN_SECONDS + " s");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
