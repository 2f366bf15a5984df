package dev.tallyroll.local.up;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures one counter that starts at nothing and is only incremented by one: how long after an
 * increment was acknowledged its roll-up first showed it. Thread-safe.
 *
 * <p>The n-th acknowledged increment is shown once the total is at least n. Whichever of two that
 * overlap is meant by "the n-th", their lags together are the same.
 */
final class Meter {
  private final List<Long> acknowledged = new ArrayList<>();
  private final List<Long> lags = new ArrayList<>();
  private long total;
  private Instant asOf = Instant.MIN;
  private long lastSeen;
  private int backwards;

  synchronized void acknowledged(long nanoTime) {
    acknowledged.add(nanoTime);
    show(nanoTime);
  }

  /** The roll-up as a reader got it at {@code nanoTime}. */
  synchronized void seen(long count, Instant readTime, long nanoTime) {
    if (count < total || readTime.isBefore(asOf)) {
      backwards++;
    }
    total = count;
    asOf = readTime;
    lastSeen = nanoTime;
    show(nanoTime);
  }

  private void show(long nanoTime) {
    while (lags.size() < acknowledged.size() && lags.size() < total) {
      lags.add(Math.max(0, nanoTime - acknowledged.get(lags.size())));
    }
  }

  /** Nanoseconds, one per increment that was acknowledged and has been shown. */
  synchronized List<Long> lags() {
    return List.copyOf(lags);
  }

  synchronized long acknowledged() {
    return acknowledged.size();
  }

  synchronized long total() {
    return total;
  }

  /** How often a reader saw a total or its time go backwards. */
  synchronized int backwards() {
    return backwards;
  }

  /**
   * How long ago the oldest increment was acknowledged that is not shown yet; 0 if there is none.
   */
  synchronized long behind(long nanoTime) {
    return lags.size() < acknowledged.size() ? nanoTime - acknowledged.get(lags.size()) : 0;
  }

  /** When the roll-up was last seen to change. */
  synchronized long lastSeen() {
    return lastSeen;
  }
}
