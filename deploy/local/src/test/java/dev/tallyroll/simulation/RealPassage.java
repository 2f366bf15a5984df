package dev.tallyroll.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits. Stateless. */
record RealPassage() implements Passage {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 5;

  @Override
  public <T> T get(CompletableFuture<T> call) throws Exception {
    return call.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Override
  public void until(String what, BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("expected within " + LIMIT + ": " + what);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
