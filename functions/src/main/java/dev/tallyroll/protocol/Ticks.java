package dev.tallyroll.protocol;

import java.time.Duration;
import java.time.Instant;

/** Arithmetic of ticks that are aligned to the clock, not to the start of a run. */
final class Ticks {
  private Ticks() {}

  /** The first whole multiple of {@code tick} after {@code now}. */
  static Instant next(Instant now, Duration tick) {
    long nanos = tick.toNanos();
    long sinceEpoch =
        Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
    long next = Math.multiplyExact(Math.floorDiv(sinceEpoch, nanos) + 1, nanos);
    return Instant.ofEpochSecond(0, next);
  }

  /** How many ticks were skipped between two that took place. */
  static int missed(Instant last, Instant now, Duration tick) {
    return (int) Math.max(0, Duration.between(last, now).dividedBy(tick) - 1);
  }
}
