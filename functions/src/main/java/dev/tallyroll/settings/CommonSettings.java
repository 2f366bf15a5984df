package dev.tallyroll.settings;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.time.Duration;

/** The settings that all functions have, whether they keep totals or fold. */
public final class CommonSettings {
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

  /**
   * How many writes a second make a counter live: below that, RollUp costs more than the events of
   * a counter that is not.
   */
  private static final int BUSY = 3;

  /** With figures in the app's own document, which each event writes while it is not. */
  private static final int BUSY_DOCUMENT = 2;

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

  /**
   * The timing of entries.
   *
   * <p>Tests set LEASE, SLACK and BURST for all of them.
   */
  static TotalsFile.Timings timings(Environment env) {
    return (every, hold, precision, intoDocument) ->
        timing(env, every, hold, precision, intoDocument ? BUSY_DOCUMENT : BUSY);
  }

  /** The timing of what is folded. */
  static Timing timing(Environment env, Duration every) {
    return timing(env, every, Duration.ZERO, 0, BUSY);
  }

  private static Timing timing(
      Environment env, Duration every, Duration hold, double precision, int busy) {
    Duration least = every.multipliedBy(3);
    Duration lease =
        env.duration(LEASE, longer(least, SHORTEST_DEFAULT_LEASE), least, Times.LONGEST_LEASE);
    return new Timing(
        every,
        lease,
        slack(env),
        env.integer(BURST, burst(lease, busy), 2, MOST_BURST),
        hold,
        precision);
  }

  private static Duration slack(Environment env) {
    return env.duration(SLACK, Duration.ZERO, Duration.ofMinutes(1));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static int burst(Duration lease, int busy) {
    long writes = lease.multipliedBy(busy).toSeconds();
    return (int) Math.max(2, Math.min(MOST_BURST, writes));
  }

  /**
   * The settings of runs.
   *
   * @param every the shortest period of what they work on
   */
  static RunSettings runs(Environment env, Duration every) {
    Duration look = RunSettings.look(every);
    // A look of a minute is left to the schedule.
    Duration shortest = look.compareTo(RunSettings.SCHEDULE) < 0 ? look.multipliedBy(2) : look;
    Duration run =
        env.duration(RUN, longer(shortest, Duration.parse(RUN.otherwise())), shortest, MAX_RUN);
    return new RunSettings(
        look,
        slack(env),
        env.integer(WORKERS, 1, 64),
        run,
        env.duration(IDLE_EXIT, look, look, run),
        env.duration(SWEEP, Duration.ofSeconds(1), MAX_RUN),
        env.text(SWEEP_COUNTERS).isEmpty() ? 0 : env.integer(SWEEP_COUNTERS, 100, 100, 10_000_000));
  }
}
