package dev.tallyroll.simulation;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Draws delays and faults from the seed, and counts each kind, so that a set of runs in which one
 * never happened can be told from one that withstood it.
 */
final class Faults {
  /** What can go wrong. */
  enum Kind {
    REFUSED_CALL,
    LOST_REPLY,
    REPEATED_WRITE,
    SLOW_CALL,
    HANDLER_CRASH,
    ROLLER_CRASH,
    DUPLICATE_EVENT,
    LATE_EVENT,
    REDELIVERED_EVENT,
    LOST_WAKE_UP,
    DUPLICATE_MESSAGE,
    LOST_MESSAGE,
    LATE_COMMIT,
    LOST_EVENT,
    ROLLUP_REMOVED,
    FOREIGN_DOCUMENT,
    FOREIGN_FIELD,
    FOREIGN_RUN_DOCUMENT
  }

  final Random random;
  private final double level;
  private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
  private final Set<Branch> branches = EnumSet.noneOf(Branch.class);
  private final double slowness;
  private boolean on = true;

  /**
   * @param level how likely faults are: 0 for none, 1 for many
   */
  Faults(long seed, double level) {
    this.random = new Random(seed);
    this.level = level;
    this.slowness = random.nextInt(3) == 0 ? 0.2 : 0.02;
  }

  void switchOff() {
    on = false;
  }

  boolean happens(Kind kind, double probability) {
    boolean happens = on && random.nextDouble() < probability * level;
    if (happens) {
      counts.merge(kind, 1, Integer::sum);
    }
    return happens;
  }

  /** Notes what the code came to. */
  void came(Branch branch) {
    branches.add(branch);
  }

  Set<Branch> branches() {
    return branches;
  }

  Map<Kind, Integer> counts() {
    return counts;
  }

  /** Between 1 and 10 ms, and sometimes seconds. */
  Duration latency() {
    if (happens(Kind.SLOW_CALL, slowness)) {
      return Duration.ofMillis(random.nextInt(4_000));
    }
    return Duration.ofNanos(1_000L * (500 + random.nextInt(5_000)));
  }

  Duration upTo(Duration most) {
    return Duration.ofNanos(
        1_000L * (1 + (long) (random.nextDouble() * (most.toNanos() / 1_000.0))));
  }
}
