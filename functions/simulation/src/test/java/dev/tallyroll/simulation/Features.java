package dev.tallyroll.simulation;

import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

/**
 * What a seed's world has. The seed alone says how many faults there are, and what users and
 * operators have chosen, so that seeds in a row have each of it; the rest is drawn.
 *
 * @param level how many faults there are
 * @param has all that the world has, beside its faults and its timing
 * @param poll how often counters without events are summed
 */
record Features(Faults.Level level, Set<Feature> has, Timing timing, Duration poll) {
  /** What one world has, and another one not. */
  enum Feature {
    /** Users call the library. */
    LIBRARY_USERS,

    /** The totals are shown in the counters' own documents, too, which come and go. */
    TOTALS_IN_DOCUMENTS,

    /** Totals are held: `hold` is six ticks. */
    HELD_TOTALS,

    /** Another deployment has counters without events. */
    POLLS,

    /** Events are turned into polls, and back. */
    CHANGED,

    /** Ticks are as long as the time between two scheduled runs, a minute. */
    TICK_OF_A_MINUTE,

    /** Few shards are many: counters are summed once a minute. */
    LARGE,

    /** A sweep or a poll may look at fewer counters than there are. */
    IN_PARTS,

    /** There are many counters. */
    CROWDED,

    /** Some events are never delivered, and roll-ups get lost. */
    LOST_EVENTS,

    /** Commits become visible up to a second and a half late. */
    LATE_COMMITS,

    /** Commits become visible a little late, and queries read at times that are past. */
    OLD_READS
  }

  /** A part of the shown total; a large change is at least so large. */
  static final double PRECISION = 0.3;

  /**
   * These of 64 seeds: one without faults, one with faults, one with polls and held totals, too.
   */
  private static final Set<Long> SLOW = Set.of(16L, 26L, 38L);

  /** These of 32 seeds: two without faults, others with fields, polls and held totals. */
  private static final Set<Long> LARGE = Set.of(4L, 6L, 7L, 8L, 9L, 11L, 14L);

  /** One world in so many is crowded. */
  private static final int CROWDS = 50;

  /** What the seed alone says: sixteen in a row have all but what is rare. */
  private static Set<Feature> chosen(long seed) {
    Set<Feature> chosen =
        switch ((int) (seed % 16)) {
          case 0, 1, 2, 3 -> EnumSet.of(Feature.LIBRARY_USERS); // at each level of faults
          case 4, 5 -> EnumSet.of(Feature.TOTALS_IN_DOCUMENTS);
          case 6 -> EnumSet.of(Feature.POLLS, Feature.HELD_TOTALS);
          case 8 -> EnumSet.of(Feature.POLLS); // without faults
          case 12 -> EnumSet.of(Feature.HELD_TOTALS); // without faults
          case 14 -> EnumSet.of(Feature.POLLS, Feature.TOTALS_IN_DOCUMENTS);
          default -> EnumSet.noneOf(Feature.class);
        };
    if (chosen.contains(Feature.POLLS) && seed / 32 % 2 == 1) {
      chosen.add(Feature.CHANGED);
    }
    if (SLOW.contains(seed % 64)) {
      chosen.add(Feature.TICK_OF_A_MINUTE);
    }
    if (LARGE.contains(seed % 16) && seed / 16 % 2 == 1) {
      chosen.add(Feature.LARGE);
    }
    if (seed / 64 % 4 == 3) {
      chosen.add(Feature.IN_PARTS);
    }
    return chosen;
  }

  /** Whether a seed's world has users of the library; nothing need be drawn to know it. */
  static boolean hasLibraryUsers(long seed) {
    return chosen(seed).contains(Feature.LIBRARY_USERS);
  }

  /** The features of a seed's world. */
  static Features of(long seed, Random random) {
    Set<Feature> has = chosen(seed);
    if (random.nextInt(4) == 0) {
      has.add(Feature.LATE_COMMITS);
    } else if (random.nextInt(3) == 0) {
      has.add(Feature.OLD_READS);
    }
    int slack = has.contains(Feature.LATE_COMMITS) ? 2 : random.nextInt(2);
    if (random.nextInt(5) == 0) {
      has.add(Feature.LOST_EVENTS);
    }
    Duration drawn = Duration.ofMillis(500L << random.nextInt(3));
    Duration tick = has.contains(Feature.TICK_OF_A_MINUTE) ? RunSettings.SCHEDULE : drawn;
    Duration lease = tick.multipliedBy(3 + random.nextInt(4));
    Duration hold = has.contains(Feature.HELD_TOTALS) ? tick.multipliedBy(6) : Duration.ZERO;
    Duration poll = has.contains(Feature.POLLS) ? poll(tick, random) : RunSettings.SCHEDULE;
    int burst = 2 + random.nextInt(9);
    if (random.nextInt(CROWDS) == 0) {
      has.add(Feature.CROWDED);
    }
    if (has.contains(Feature.CROWDED) || has.contains(Feature.IN_PARTS)) {
      // Some worlds last for a day: a crowd's polls would be more steps than a world may have.
      poll = RunSettings.SCHEDULE;
    }
    return new Features(
        Faults.Level.of(seed),
        has,
        new Timing(tick, lease, Duration.ofSeconds(slack), burst, hold, PRECISION)
            .withMost(has.contains(Feature.LARGE) ? seed / 32 % 3 : Long.MAX_VALUE),
        poll);
  }

  /** The period of a poll: a minute, ten seconds, a second, or a tick. */
  static Duration poll(Duration tick, Random random) {
    Duration[] all = {RunSettings.SCHEDULE, Duration.ofSeconds(10), Duration.ofSeconds(1), tick};
    return all[random.nextInt(all.length)];
  }

  /** The longest time from a commit until queries see it. */
  Duration lateness() {
    return Duration.ofMillis(
        has.contains(Feature.LATE_COMMITS) ? 1_500 : has.contains(Feature.OLD_READS) ? 100 : 0);
  }
}
