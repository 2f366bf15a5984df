package dev.tallyroll.runs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The times of a run: it says when the run ticks and when the run ends. Ticks are aligned to the
 * clock; a run skips a late tick, and never makes up for it.
 *
 * @param settings of runs
 * @param began when the run began, by the loop's clock, as all times here
 */
record RunTimes(RunSettings settings, Instant began) {
  /** A scheduled run takes over within so long after its minute, but for a cold start. */
  private static final Duration TAKEN_OVER_WITHIN = Duration.ofSeconds(3);

  /** While Firestore does not answer, runs call it only so often. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /**
   * When a run does something next. At a time that is no tick's, it looks whether another run has
   * taken over, so that it does not wait for a long tick.
   */
  record Next(Instant at, boolean ticks) {}

  private Duration tick() {
    return settings.timing().tick();
  }

  /** Gives the earlier of two: the next tick, the next look. */
  Next next(Instant now) {
    Instant tick = settings.timing().nextTick(now);
    Instant check = nextCheck(now);
    return tick.isAfter(check) ? new Next(check, false) : new Next(tick, true);
  }

  /** When the next scheduled run has surely taken over. */
  private static Instant nextCheck(Instant now) {
    long period = RunSettings.SCHEDULE.toSeconds();
    long minute = Math.floorDiv(now.minus(TAKEN_OVER_WITHIN).getEpochSecond(), period) + 1;
    return Instant.ofEpochSecond(minute * period).plus(TAKEN_OVER_WITHIN);
  }

  /** How many ticks were skipped between two. */
  long missed(Instant last, Instant tick) {
    return Math.max(0, Duration.between(last, tick).dividedBy(tick()) - 1);
  }

  /**
   * Whether the run's time is up.
   *
   * @param lastLive when something was live last
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
    return tick().compareTo(PAUSE) > 0 ? tick() : PAUSE;
  }
}
