package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads a roll-up again and again until it is stopped, and keeps what it saw. Thread-safe. */
final class Reader implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(15);

  private final Counter counter;
  private final List<Shown> seen = new ArrayList<>();
  private final List<Exception> failures = new ArrayList<>();
  private final Pace pace;

  private Reader(Counter counter) {
    this.counter = counter;
    this.pace = Pace.withPause(this::read, PAUSE);
  }

  static Reader start(Counter counter) {
    return new Reader(counter);
  }

  private void read() {
    try {
      counter.shown().ifPresent(this::keep);
    } catch (Exception failure) {
      // For the test to report, whatever it is.
      synchronized (this) {
        failures.add(failure);
      }
    }
  }

  private synchronized void keep(Shown shown) {
    if (seen.isEmpty() || !seen.get(seen.size() - 1).equals(shown)) {
      seen.add(shown);
    }
  }

  /** The versions seen so far, in the order of reading; one read many times is there once. */
  synchronized List<Shown> seen() {
    return List.copyOf(seen);
  }

  /** Ends it; fails if a total or its time ever went back. For counters that only go up. */
  List<Shown> stopNeverGoneBack() {
    close();
    synchronized (this) {
      assertThat(failures).as("failed reads").isEmpty();
      assertThat(seen).isSortedAccordingTo(Comparator.comparing(Shown::asOf));
      assertThat(seen)
          .isSortedAccordingTo(Comparator.comparing(shown -> shown.count().longValue()));
      return List.copyOf(seen);
    }
  }

  @Override
  public void close() {
    pace.close();
  }
}
