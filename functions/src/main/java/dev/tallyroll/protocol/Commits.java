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
 * @param burst whether they are to make the counter live: then only a lease covers them, as a total
 *     would be old again at once
 */
record Commits(Optional<Instant> latest, boolean burst) {

  Commits join(Commits other) {
    return new Commits(
        latest.flatMap(held -> other.latest.map(it -> it.isAfter(held) ? it : held)),
        burst || other.burst);
  }

  /** The same, of a counter that others write within the time of a call. */
  Commits contended() {
    return new Commits(latest, true);
  }

  /** Whether nothing more is to be done. */
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
}
