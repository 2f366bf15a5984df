package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Times of commits: in some worlds, queries see a commit later than its own time stamp says, as on
 * the emulator. Those of one counter become visible in their order.
 */
final class Commits {
  private final VirtualTime time;
  private final Faults faults;
  private final Database database;
  private final Duration lateness;
  private final Map<CounterPath, Instant> lastVisible = new TreeMap<>(World.ORDER);

  Commits(VirtualTime time, Faults faults, Database database, Duration lateness) {
    this.time = time;
    this.faults = faults;
    this.database = database;
    this.lateness = lateness;
  }

  /**
   * Commits.
   *
   * @param effect takes place when the commit becomes visible, and hears of the times of both
   */
  void commit(CounterPath counter, BiConsumer<Instant, Instant> effect) {
    Instant committed = database.tick();
    Instant visible = committed;
    if (!lateness.isZero() && faults.happens(Kind.LATE_COMMIT, 0.3)) {
      visible = committed.plus(faults.upTo(lateness));
    }
    Instant before = lastVisible.getOrDefault(counter, Instant.EPOCH);
    Instant seen = visible.isAfter(before) ? visible : before;
    lastVisible.put(counter, seen);
    Duration delay = Duration.between(time.now(), seen);
    if (delay.isZero() || delay.isNegative()) {
      effect.accept(committed, committed);
    } else {
      time.after(delay, () -> effect.accept(committed, database.tick()));
    }
  }
}
