package dev.tallyroll.local;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other threads and processes do. Stateless. */
final class Waiting {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int POLL_MILLIS = 20;

  private Waiting() {}

  static void until(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("expected within " + LIMIT + " that " + what);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
