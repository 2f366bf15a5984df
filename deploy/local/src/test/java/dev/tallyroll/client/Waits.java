package dev.tallyroll.client;

import com.google.api.core.ApiFuture;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits, each with a bound. Stateless. */
final class Waits {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int POLL_MILLIS = 20;

  private Waits() {}

  static <T> T get(ApiFuture<T> future)
      throws ExecutionException, InterruptedException, TimeoutException {
    return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  static void until(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("expected within " + LIMIT + " that " + what);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
