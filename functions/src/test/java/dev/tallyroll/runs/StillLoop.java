package dev.tallyroll.runs;

import java.time.Duration;
import java.time.Instant;

/** Carries each step out at once, at a time that only its test moves. */
abstract class StillLoop implements EventLoop {
  static final Instant BEGINNING = Instant.parse("2026-05-01T12:00:00Z");

  Instant now = BEGINNING;

  @Override
  public final Instant instant() {
    return now;
  }

  @Override
  public final Duration uptime() {
    return Duration.between(BEGINNING, now);
  }

  @Override
  public final void execute(Runnable step) {
    step.run();
  }

  @Override
  public final Duration jitter(Duration most) {
    return most;
  }

  @Override
  public final String newName() {
    throw new UnsupportedOperationException("nothing here has a name");
  }
}
