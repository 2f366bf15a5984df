package dev.tallyroll.firestore;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears of each call of the library once it has ended, for metrics: how many calls, how many of
 * them failed, and how long they took. With Micrometer, for example:
 *
 * <pre>{@code
 * CallObserver observer = (call, took, failure) ->
 *     registry
 *         .timer("counters", "call", call, "ok", String.valueOf(failure == null))
 *         .record(took);
 * }</pre>
 *
 * <p>It is called on any thread, many at a time, and must not block. What it throws is logged, and
 * changes no call. It does not hear of refused arguments and of listeners.
 */
@FunctionalInterface
public interface CallObserver {
  /**
   * Hears of one call.
   *
   * @param call the name of the method: {@code add}, {@code top}
   * @param took from the call until its future was complete, with all retries
   * @param failure what the future failed with; null if it succeeded
   */
  void ended(String call, Duration took, @Nullable Throwable failure);
}
