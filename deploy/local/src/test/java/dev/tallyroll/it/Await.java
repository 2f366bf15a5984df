package dev.tallyroll.it;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Waits for what functions and emulators do, by looking again and again. Stateless. */
public final class Await {
  /** Only a failure takes so long. Longer than from one scheduled run to the next. */
  static final Duration LIMIT = Duration.ofMinutes(2);

  private static final int POLL_MILLIS = 25;

  private Await() {}

  /** What was found, as soon as it is right. */
  public static <T extends @Nullable Object> T until(
      String expected, Callable<T> look, Predicate<? super T> isRight) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    T found = look.call();
    while (!isRight.test(found)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "expected %s within %s; found last %s".formatted(expected, LIMIT, found));
      }
      Thread.sleep(POLL_MILLIS);
      found = look.call();
    }
    return found;
  }

  public static void until(String expected, Callable<Boolean> isSo) throws Exception {
    until(expected, isSo, so -> so);
  }
}
