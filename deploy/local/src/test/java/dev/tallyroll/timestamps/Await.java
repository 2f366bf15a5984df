package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the client. Stateless. */
final class Await {
  private static final int LIMIT_SECONDS = 60;

  private Await() {}

  static <T> T of(ApiFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
