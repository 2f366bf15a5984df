package dev.tallyroll.local;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Draws, event by event, what the faults do to it; the same seed draws the same. Thread-safe. */
final class FaultPlan {
  private final DeliveryFaults faults;
  private final Random random;

  FaultPlan(DeliveryFaults faults) {
    this.faults = faults;
    this.random = new Random(faults.seed());
  }

  /** The wait before each copy of the next event: one for each copy; none if the event is lost. */
  synchronized List<Duration> next() {
    if (random.nextDouble() < faults.lostEvents()) {
      return List.of();
    }
    int copies = random.nextDouble() < faults.duplicates() ? 2 : 1;
    if (faults.latest().isZero()) {
      return Collections.nCopies(copies, Duration.ZERO);
    }
    return IntStream.range(0, copies).mapToObj(copy -> delay()).toList();
  }

  /** Whether the answer to the next delivery gets lost. */
  synchronized boolean losesAnswer() {
    return random.nextDouble() < faults.lostAnswers();
  }

  private Duration delay() {
    return Duration.ofNanos((long) (random.nextDouble() * faults.latest().toNanos()));
  }
}
