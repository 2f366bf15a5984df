package dev.tallyroll.runs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The times of a run: it says when the run does something, and when the run ends. Times are aligned
 * to the clock; a run skips a late one, and never makes up for it.
 *
 * @param settings of runs
 * @param began when the run began, by the loop's clock, as all times here
 */
record RunTimes(RunSettings settings, Instant began) {
  /** A scheduled run takes over within so long after its minute, but for a cold start. */
  private static final Duration TAKEN_OVER_WITHIN = Duration.ofSeconds(3);

  /** While Firestore does not answer, runs call it only so often. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** What a run does at a time. */
  enum Step {
    /** The run works on what is due. */
    TICK,
    /** The run also reads its run document and the live list. */
    LOOK,
    /** The run only reads its run document, so that a takeover does not wait for a long tick. */
    CHECK
  }

  /** When a run does something next, and what. */
  record Next(Instant at, Step step) {}

  /**
   * Gives what comes first.
   *
   * @param tick when something is due
   */
  Next next(Instant now, Instant tick) {
    Instant look = next(settings.look(), now);
    Instant check = nextCheck(now);
    if (!look.isAfter(tick) && !look.isAfter(check)) {
      return new Next(look, Step.LOOK);
    }
    return tick.isAfter(check) ? new Next(check, Step.CHECK) : new Next(tick, Step.TICK);
  }

  /** The next multiple of a period, by the clock. */
  static Instant next(Duration period, Instant now) {
    long nanos = period.toNanos();
    long sinceEpoch = Duration.between(Instant.EPOCH, now).toNanos();
    return Instant.EPOCH.plusNanos((sinceEpoch / nanos + 1) * nanos);
  }

  /** When the next scheduled run has surely taken over. */
  private static Instant nextCheck(Instant now) {
    long period = RunSettings.SCHEDULE.toSeconds();
    long minute = Math.floorDiv(now.minus(TAKEN_OVER_WITHIN).getEpochSecond(), period) + 1;
    return Instant.ofEpochSecond(minute * period).plus(TAKEN_OVER_WITHIN);
  }

  /**
   * Whether the run's time is up.
   *
   * @param lastLive when something last kept the run alive
   */
  Optional<Ending> end(Instant now, Instant lastLive) {
    if (!now.isBefore(began.plus(settings.run()))) {
      return Optional.of(Ending.DEADLINE);
    }
    return now.isBefore(lastLive.plus(settings.idleExit()))
        ? Optional.empty()
        : Optional.of(Ending.IDLE);
  }

  /** The longest time between two looks while Firestore does not answer. */
  Duration pause() {
    return settings.look().compareTo(PAUSE) > 0 ? settings.look() : PAUSE;
  }
}
