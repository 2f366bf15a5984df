package dev.tallyroll;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for what functions, emulators and their clients do. Stateless. */
public final class Waiting {
  /** Only a failure takes so long. Longer than from one scheduled run to the next. */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final Duration POLL = Duration.ofMillis(100);

  private Waiting() {}

  /**
   * Looks again and again.
   *
   * @param expected what is waited for, to be named when it does not come
   */
  public static ConditionFactory await(String expected) {
    return Awaitility.await(expected)
        .pollInSameThread() // A browser's page is its own thread's only.
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL);
  }
}
