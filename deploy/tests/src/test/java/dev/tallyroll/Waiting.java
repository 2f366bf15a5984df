package dev.tallyroll;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for effects of functions, emulators and their clients. Stateless. */
public final class Waiting {
  /** Only a failure takes so long: more than the time between two scheduled runs. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private static final Duration POLL = Duration.ofMillis(100);

  private Waiting() {}

  /**
   * Waits until a condition holds.
   *
   * @param expected the condition, for the message if it does not come true
   */
  public static ConditionFactory await(String expected) {
    return Awaitility.await(expected)
        .pollInSameThread() // Only the thread of a browser's page may use it.
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL);
  }
}
