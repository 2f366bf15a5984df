package dev.tallyroll.settings;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.time.Duration;

/** The settings that all functions have, whether they keep totals or fold. */
public final class CommonSettings {
  public static final Variable ROLLUPS_COLLECTION =
      new Variable("ROLLUPS_COLLECTION", "rollups", "collection of roll-ups, beside the counters");

  public static final Variable NAME =
      new Variable(
          "NAME",
          "tallyroll",
          "the deployment's name: 2 to 13 lower-case letters, digits and hyphens. The topic is "
              + "`NAME-rollup`, and documents in `rollup_runs` have it");

  public static final Variable FIRESTORE_DATABASE =
      new Variable("FIRESTORE_DATABASE", "(default)", "the database: `(default)`, or its id");

  public static final Variable WORKERS =
      new Variable("WORKERS", "1", "how many runs of RollUp share the live counters (1 to 64)");

  public static final Variable HOLD =
      new Variable(
          "HOLD",
          "PT0S",
          "how old the shown total of a busy counter may be while it has changed "
              + "by less than `PRECISION` (a `TICK` to PT4M); PT0S shows each change");

  public static final Variable PRECISION =
      new Variable(
          "PRECISION",
          "0.01",
          "with `HOLD`: a change of at least this part of the shown total shows at the "
              + "next tick");

  public static final Variable SWEEP_COUNTERS =
      new Variable(
          "SWEEP_COUNTERS",
          "",
          "how many documents one sweep looks at, at most, at three reads each; the next "
              + "goes on from there (100 to 10,000,000); empty for 10,000, or a twenty-fourth of "
              + "the last whole round, if that is more");

  // Tests set these; nobody else needs another value.

  private static final Variable LEASE = new Variable("LEASE", "", "");
  private static final Variable BURST = new Variable("BURST", "", "");
  private static final Variable SLACK = new Variable("SLACK", "PT1S", "");
  private static final Variable ROLLUP_TOPIC = new Variable("ROLLUP_TOPIC", "", "");
  private static final Variable RUN = new Variable("RUN", "PT70S", "");
  private static final Variable IDLE_EXIT = new Variable("IDLE_EXIT", "", "");
  private static final Variable SWEEP = new Variable("SWEEP", "PT8M", "");

  private static final int MOST_BURST = 100;

  /** A run may end with four calls, one after the other, and a function has 540 s for an event. */
  private static final Duration MAX_RUN = Duration.ofSeconds(500);

  /** A lease is at least twice as long, and at most ten minutes. */
  private static final Duration MAX_HOLD = Duration.ofMinutes(4);

  private static final Duration SHORTEST_DEFAULT_LEASE = Duration.ofSeconds(5);

  private CommonSettings() {}

  /** {@code NAME}. */
  public static String deployment(Environment env) {
    return env.matching(
        NAME,
        "(?!goog)[a-z][a-z0-9-]{0,11}[a-z0-9]",
        "2 to 13 lower-case letters, digits and hyphens, a letter first and no hyphen last,"
            + " other than goog...");
  }

  /** {@code FIRESTORE_DATABASE}. */
  public static String database(Environment env) {
    return env.matching(
        FIRESTORE_DATABASE,
        "\\(default\\)|[a-z][a-z0-9-]{2,61}[a-z0-9]",
        "(default) or 4 to 63 lower-case letters, digits and hyphens");
  }

  /** The topic of a deployment, which carries the schedule and the wake-ups. */
  static String topic(Environment env, String deployment) {
    String own = env.text(ROLLUP_TOPIC);
    return own.isEmpty() ? deployment + "-rollup" : own;
  }

  /** How often what is live is worked on. */
  static Duration tick(Environment env, Variable variable) {
    return env.duration(variable, Duration.ofMillis(100), RunSettings.SCHEDULE);
  }

  /**
   * The settings of runs.
   *
   * @param every how often what is live is worked on, or what has no events
   * @param busy how many writes a second make a counter, or document, live
   */
  static RunSettings runs(Environment env, Duration every, int busy) {
    Duration least = every.multipliedBy(3);
    Duration otherwise =
        least.compareTo(SHORTEST_DEFAULT_LEASE) > 0 ? least : SHORTEST_DEFAULT_LEASE;
    Duration lease = env.duration(LEASE, otherwise, least, Times.LONGEST_LEASE);
    Duration slack = env.duration(SLACK, Duration.ZERO, Duration.ofMinutes(1));
    // A tick of a minute is left to the schedule.
    Duration shortest = every.compareTo(RunSettings.SCHEDULE) < 0 ? every.multipliedBy(2) : every;
    Duration run = env.duration(RUN, longer(shortest, RUN), shortest, MAX_RUN);
    return new RunSettings(
        new Timing(
            every,
            lease,
            slack,
            env.integer(BURST, burst(lease, busy), 2, MOST_BURST),
            hold(env, every),
            env.share(PRECISION)),
        env.integer(WORKERS, 1, 64),
        run,
        env.duration(IDLE_EXIT, every, every, run),
        env.duration(SWEEP, Duration.ofSeconds(1), MAX_RUN),
        env.text(SWEEP_COUNTERS).isEmpty() ? 0 : env.integer(SWEEP_COUNTERS, 100, 100, 10_000_000));
  }

  /** The default of a variable, or the least value if that is longer. */
  private static Duration longer(Duration least, Variable variable) {
    Duration otherwise = Duration.parse(variable.otherwise());
    return least.compareTo(otherwise) > 0 ? least : otherwise;
  }

  private static int burst(Duration lease, int busy) {
    long writes = lease.multipliedBy(busy).toSeconds();
    return (int) Math.max(2, Math.min(MOST_BURST, writes));
  }

  private static Duration hold(Environment env, Duration tick) {
    return env.text(HOLD).equals(HOLD.otherwise())
        ? Duration.ZERO
        : env.duration(HOLD, Duration.ZERO, tick, MAX_HOLD);
  }
}
