package dev.tallyroll.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** The only thread of a simulated world. It takes steps in the order of their times. */
final class VirtualTime {
  private static final Instant START = Instant.parse("2026-01-01T00:00:30Z");

  /** More steps count as an endless loop. */
  private static final long MOST_STEPS = 10_000_000;

  private record Step(long micros, long sequence, Runnable action) implements Comparable<Step> {
    @Override
    public int compareTo(Step other) {
      return micros == other.micros
          ? Long.compare(sequence, other.sequence)
          : Long.compare(micros, other.micros);
    }
  }

  private final PriorityQueue<Step> steps = new PriorityQueue<>();
  private long now;
  private long sequence;
  private long taken;

  Instant now() {
    return START.plusNanos(now * 1_000);
  }

  void after(Duration delay, Runnable action) {
    long micros = Math.max(0, delay.toNanos() / 1_000);
    steps.add(new Step(now + micros, sequence++, action));
  }

  void pass(Duration duration) {
    run(duration, () -> false);
  }

  /** Takes steps until {@code done} holds, at most for {@code atMost}. */
  void run(Duration atMost, BooleanSupplier done) {
    long end = now + atMost.toNanos() / 1_000;
    while (!done.getAsBoolean()) {
      Step next = steps.peek();
      if (next == null || next.micros() > end) {
        now = end;
        return;
      }
      if (++taken > MOST_STEPS) {
        throw new AssertionError("no end after " + MOST_STEPS + " steps");
      }
      steps.remove();
      now = next.micros();
      next.action().run();
    }
  }
}
