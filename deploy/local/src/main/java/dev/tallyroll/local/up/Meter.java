package dev.tallyroll.local.up;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

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
  private int backwards;
  private int versions;

  synchronized void acknowledged(long nanoTime) {
    acknowledged.add(nanoTime);
    show(nanoTime);
  }

  /** The roll-up as a reader got it at {@code nanoTime}. */
  synchronized void seen(long count, Instant readTime, long nanoTime) {
    if (count < total || readTime.isBefore(asOf)) {
      backwards++;
    }
    versions += readTime.isAfter(asOf) ? 1 : 0;
    total = count;
    asOf = readTime;
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

  /** Of those that were acknowledged at {@code nanoTime} or later. */
  synchronized List<Long> lagsSince(long nanoTime) {
    return IntStream.range(0, lags.size())
        .filter(i -> acknowledged.get(i) - nanoTime >= 0)
        .mapToObj(lags::get)
        .toList();
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

  /** How many roll-ups a reader saw. */
  synchronized int versions() {
    return versions;
  }
}
