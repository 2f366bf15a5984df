package dev.tallyroll;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Answers of calls, in tests and in the programs among them, which lack the libraries of tests.
 * Stateless.
 */
public final class Answers {
  private static final int WITHIN_SECONDS = 60;

  private Answers() {}

  public static <T> T get(Future<T> call)
      throws ExecutionException, InterruptedException, TimeoutException {
    return call.get(WITHIN_SECONDS, TimeUnit.SECONDS);
  }
}
