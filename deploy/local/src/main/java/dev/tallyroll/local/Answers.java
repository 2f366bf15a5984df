package dev.tallyroll.local;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers of calls. Programs use it too, so it needs no library of tests. Stateless. */
public final class Answers {
  private static final int WITHIN_SECONDS = 60;

  private Answers() {}

  public static <T> T get(Future<T> call)
      throws ExecutionException, InterruptedException, TimeoutException {
    return call.get(WITHIN_SECONDS, TimeUnit.SECONDS);
  }
}
