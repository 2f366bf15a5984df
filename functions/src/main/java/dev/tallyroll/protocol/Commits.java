package dev.tallyroll.protocol;

import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The writes of one counter whose events are handled together.
 *
 * <p>Together they are covered only if the latest of them is. A delete has no commit time of its
 * own; as it was committed before its event was sent, the time of a read stands in for it.
 *
 * @param latest when the latest of them committed; empty with a delete among them
 * @param burst whether one is known to have committed less than a TICK from another
 */
record Commits(Optional<Instant> latest, boolean burst) {

  Commits join(Commits other) {
    return new Commits(
        latest.flatMap(held -> other.latest.map(it -> it.isAfter(held) ? it : held)),
        burst || other.burst);
  }

  /** Whether nothing more is to be done; of a burst, only a lease does that. */
  boolean areCoveredBy(Reading reading, Duration slack) {
    Instant committed = latest.orElse(reading.readTime());
    return reading
        .rollup()
        .map(
            rollup ->
                Coverage.covers(rollup, committed, slack)
                    && (!burst || !Coverage.liveUntil(rollup).isBefore(committed)))
        .orElse(false);
  }

  /**
   * Whether they are a burst: of two writes less than a TICK apart. By the clock of the handling, a
   * burst of late events would look like single writes.
   *
   * @param changed when the stored total last changed
   * @param readTime later than all of them
   */
  boolean areBurst(Instant changed, Instant readTime, Duration tick) {
    return burst || latest.orElse(readTime).isBefore(changed.plus(tick));
  }
}
