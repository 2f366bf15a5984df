package dev.tallyroll;

import java.time.Duration;

/**
 * Hears what {@link BufferedCounters} do, for metrics. It is called on any thread, many at a time,
 * and must not block. What it throws is logged, and changes no count.
 */
public interface BufferObserver {
  /**
   * Hears how many adds of all counters wait or are under way, whenever a commit begins and
   * whenever one ends.
   */
  default void pending(long adds) {}

  /**
   * Hears of adds that have counted.
   *
   * @param adds how many one commit has carried
   * @param took from the first of them until the commit had ended
   */
  default void flushed(int adds, Duration took) {}

  /**
   * Hears of adds whose commit has failed, but not of refused adds.
   *
   * @param adds how many the commit carried
   * @param failure what their future failed with
   */
  default void failed(int adds, Throwable failure) {}
}
