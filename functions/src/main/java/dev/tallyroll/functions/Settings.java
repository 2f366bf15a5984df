package dev.tallyroll.functions;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.platform.Environment;
import dev.tallyroll.platform.Variable;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The settings of the functions, from environment variables.
 *
 * @param layout {@code COUNTERS}, {@code SHARDS_COLLECTION}, {@code ROLLUPS_COLLECTION}, {@code
 *     RUNS_COLLECTION}, {@code COUNT_FIELD}
 * @param polled the same for polled counters, in {@code POLLED}; empty for none; the layout, if
 *     {@code COUNTERS} is empty
 * @param totalField {@code TOTAL_FIELD}, as the names on the way to it; empty for none
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic {@code ROLLUP_TOPIC}
 * @param sum {@code SUM}
 * @param runs {@code TICK}, {@code POLL}, {@code LEASE}, {@code SLACK}, {@code BURST}, {@code
 *     HOLD}, {@code PRECISION}, {@code WORKERS}, {@code RUN}, {@code IDLE_EXIT}, {@code SWEEP},
 *     {@code SWEEP_COUNTERS}
 */
public record Settings(
    Layout layout,
    Optional<Layout> polled,
    Optional<List<String>> totalField,
    String database,
    String topic,
    SumMode sum,
    RunSettings runs) {

  private static final Variable COUNTERS =
      new Variable(
          "COUNTERS",
          "{parent=**}/counters",
          "where counters are: a path pattern whose last part is their collection, such as "
              + "`rooms/{room}/counters`. It must equal the trigger's pattern. `deploy` "
              + "and `up` set both, to `counters` if you say nothing. Empty: no trigger, and all "
              + "counters are those of `POLLED`");

  private static final Variable SHARDS_COLLECTION =
      new Variable("SHARDS_COLLECTION", "shards", "collection of shards below each counter");

  /** Also of the functions that fold. */
  public static final Variable ROLLUPS_COLLECTION =
      new Variable("ROLLUPS_COLLECTION", "rollups", "collection of roll-ups, beside the counters");

  private static final Variable POLLED =
      new Variable(
          "POLLED",
          "polled_counters",
          "path of the collection of polled counters, which no trigger watches; empty for "
              + "none, as if `SHARDS_COLLECTION` or `ROLLUPS_COLLECTION` is set and this is not");

  private static final Variable POLL =
      new Variable(
          "POLL",
          "tick",
          "`tick`: a polled counter that changes is summed at each `TICK`; `minute`: once a "
              + "minute, which costs no waiting");

  private static final Variable TOTAL_FIELD =
      new Variable(
          "TOTAL_FIELD",
          "",
          "a field of each counter's own document that gets its total if it holds a number "
              + "or nothing, such as `likes` or `stats.likes`; empty for none");

  /** Also of the functions that fold. */
  public static final Variable RUNS_COLLECTION =
      new Variable(
          "RUNS_COLLECTION",
          "rollup_runs",
          "internal state: active runs, live counters, confirmed settings");

  private static final Variable COUNT_FIELD =
      new Variable(
          "COUNT_FIELD",
          "count",
          "the shards' field (`Count` in Google's Go sample, `Cnt` in PHP)");

  private static final Variable FIRESTORE_DATABASE =
      new Variable(
          "FIRESTORE_DATABASE", "(default)", "the database; the trigger's must be the same");

  private static final Variable TICK =
      new Variable("TICK", "PT1S", "how often a live counter is summed (PT0.1S to PT1M)");

  private static final Variable LEASE =
      new Variable(
          "LEASE",
          "PT5S",
          "how long a counter stays live after it was made live (3 ticks to PT10M)");

  private static final Variable BURST =
      new Variable(
          "BURST",
          "",
          "how many writes within a `LEASE` make a counter live (2 to 100); empty for three a "
              + "second, 100 at the most");

  private static final Variable SLACK =
      new Variable(
          "SLACK",
          "PT1S",
          "spare time for commits to become visible (PT0S to PT1M; the emulator needs PT2S)");

  private static final Variable WORKERS =
      new Variable("WORKERS", "1", "how many runs of RollUp share the live counters (1 to 64)");

  private static final Variable HOLD =
      new Variable(
          "HOLD",
          "PT0S",
          "how old the shown total of a live or polled counter may be while it has changed "
              + "by less than `PRECISION` (a `TICK` to PT4M); PT0S shows each change");

  private static final Variable PRECISION =
      new Variable(
          "PRECISION",
          "0.01",
          "with `HOLD`: a change of at least this part of the shown total shows at the "
              + "next tick");

  private static final Variable SUM =
      new Variable(
          "SUM",
          "aggregate",
          "`aggregate`: one read per 1,000 shards; `documents`: one read a shard, with the "
              + "field unindexed");

  private static final Variable RUN =
      new Variable("RUN", "PT70S", "how long one run of RollUp lasts (at most PT500S)");

  private static final Variable IDLE_EXIT =
      new Variable(
          "IDLE_EXIT",
          "",
          "how long a run stays after its last counter has settled; empty for a `TICK`");

  private static final Variable SWEEP =
      new Variable("SWEEP", "PT8M", "how long one sweep may take (at most PT500S)");

  private static final Variable SWEEP_COUNTERS =
      new Variable(
          "SWEEP_COUNTERS",
          "10000",
          "how many documents one sweep looks at, at three reads each; the next sweep goes "
              + "on from there (100 to 10,000,000)");

  private static final Variable ROLLUP_TOPIC =
      new Variable("ROLLUP_TOPIC", "rollup", "the Pub/Sub topic of the schedule and the wake-ups");

  /** All of them, in the order of the README. */
  public static final List<Variable> VARIABLES =
      List.of(
          COUNTERS,
          SHARDS_COLLECTION,
          ROLLUPS_COLLECTION,
          POLLED,
          POLL,
          TOTAL_FIELD,
          RUNS_COLLECTION,
          COUNT_FIELD,
          FIRESTORE_DATABASE,
          TICK,
          LEASE,
          BURST,
          SLACK,
          WORKERS,
          HOLD,
          PRECISION,
          SUM,
          RUN,
          IDLE_EXIT,
          SWEEP,
          SWEEP_COUNTERS,
          ROLLUP_TOPIC);

  private static final int MOST_BURST = 100;

  private enum Polling {
    TICK,
    MINUTE
  }

  /** A field's path, such as {@code stats.likes}. */
  public static final String FIELD = "[A-Za-z_]\\w{0,99}(\\.[A-Za-z_]\\w{0,99}){0,9}";

  /** A run may end with four calls, one after the other, and a function has 540 s for an event. */
  private static final Duration MAX_RUN = Duration.ofSeconds(500);

  /** A lease is at least twice as long, and at most ten minutes. */
  private static final Duration MAX_HOLD = Duration.ofMinutes(4);

  private static final Duration SHORTEST_DEFAULT_LEASE = Duration.ofSeconds(5);

  /**
   * Reads the settings.
   *
   * @param environment gives the value of a variable, or null if it is not set: such as {@code
   *     System::getenv}
   * @throws IllegalArgumentException if one is malformed or out of range; the message names it,
   *     what was expected and what was found
   */
  public static Settings from(UnaryOperator<String> environment) {
    Environment env = new Environment(environment);
    for (String name : List.of("FOLD", "FOLD_DOCUMENTS", "FOLD_FIELDS")) {
      env.matching(
          new Variable(name, "", ""), "", "nothing: it is a setting of the jar that folds");
    }
    boolean triggered = !env.text(COUNTERS).isEmpty();
    Layout layout = layout(env, triggered ? COUNTERS : polled(env));
    return new Settings(
        layout,
        triggered ? polled(env, layout) : Optional.of(withoutVariables(layout)),
        totalField(env),
        database(env),
        topic(env),
        env.choice(SUM, SumMode.AGGREGATE),
        runs(env, TICK));
  }

  /** Whether a trigger watches shards. */
  public boolean hasTrigger() {
    return !polled.equals(Optional.of(layout));
  }

  /** {@code FIRESTORE_DATABASE}. */
  public static String database(Environment env) {
    return env.matching(
        FIRESTORE_DATABASE,
        "\\(default\\)|[a-z][a-z0-9-]{2,61}[a-z0-9]",
        "(default) or 4 to 63 lower-case letters, digits and hyphens");
  }

  /** {@code ROLLUP_TOPIC}. */
  public static String topic(Environment env) {
    return env.matching(
        ROLLUP_TOPIC,
        "(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}",
        "a Pub/Sub topic id of 3 to 255 characters that starts with a letter, not with goog");
  }

  /**
   * The settings of runs.
   *
   * @param tick the variable of the tick
   */
  public static RunSettings runs(Environment env, Variable tick) {
    Duration every = env.duration(tick, Duration.ofMillis(100), Duration.ofMinutes(1));
    Duration least = every.multipliedBy(3);
    Duration otherwise =
        least.compareTo(SHORTEST_DEFAULT_LEASE) > 0 ? least : SHORTEST_DEFAULT_LEASE;
    Duration lease = env.duration(LEASE, otherwise, least, Rollup.LONGEST_LEASE);
    Duration slack = env.duration(SLACK, Duration.ZERO, Duration.ofMinutes(1));
    // A tick of a minute is left to the schedule.
    Duration shortest = every.compareTo(Duration.ofMinutes(1)) < 0 ? every.multipliedBy(2) : every;
    Duration run = env.duration(RUN, shortest, MAX_RUN);
    return new RunSettings(
        new Timing(
            every,
            lease,
            slack,
            env.integer(BURST, burst(lease), 2, MOST_BURST),
            hold(env, every),
            env.share(PRECISION),
            env.choice(POLL, Polling.TICK) == Polling.MINUTE),
        env.integer(WORKERS, 1, 64),
        run,
        env.duration(IDLE_EXIT, every, every, run),
        env.duration(SWEEP, Duration.ofSeconds(1), MAX_RUN),
        env.integer(SWEEP_COUNTERS, 100, 10_000_000));
  }

  /**
   * Below three writes a second, RollUp costs more than the events of a counter that is not live.
   */
  private static int burst(Duration lease) {
    long writes = lease.multipliedBy(3).toSeconds();
    return (int) Math.max(2, Math.min(MOST_BURST, writes));
  }

  private static Duration hold(Environment env, Duration tick) {
    Duration hold = env.duration(HOLD, Duration.ZERO, MAX_HOLD);
    return hold.isZero() ? hold : env.duration(HOLD, tick, MAX_HOLD);
  }

  /** Totals of other collections are mostly those of another deployment beside the first. */
  private static Variable polled(Environment env) {
    boolean isFirst =
        Stream.of(SHARDS_COLLECTION, ROLLUPS_COLLECTION)
            .allMatch(each -> env.text(each).equals(each.otherwise()));
    return isFirst ? POLLED : new Variable(POLLED.name(), "", POLLED.meaning());
  }

  /** The layout of polled counters, whose collection the trigger does not watch. */
  private static Optional<Layout> polled(Environment env, Layout watched) {
    String path = env.text(polled(env));
    if (path.isEmpty()) {
      return Optional.empty();
    }
    Layout polled =
        watched
            .polledIn(path)
            .orElseThrow(
                () ->
                    Environment.refuse(
                        POLLED.name(),
                        "the path of a collection, without variables, unlike the other collections"
                            + " and outside of "
                            + watched.counters()
                            + ", or nothing",
                        path));
    return Optional.of(polled);
  }

  /** A field of the counters' own documents, other than the library's own. */
  private static Optional<List<String>> totalField(Environment env) {
    String path =
        env.matching(
            TOTAL_FIELD,
            "|(?!(num_shards|numShards|reset_id)\\b)(?!(.*\\.)?__\\w*__(\\.|$))" + FIELD,
            "a field's path, such as likes or stats.likes, but not num_shards, reset_id or __.*__,"
                + " or nothing");
    return Optional.of(path).filter(field -> !field.isEmpty()).map(Settings::names);
  }

  /** The names on the way to a field. */
  public static List<String> names(String path) {
    return List.of(path.split("\\."));
  }

  private static Layout withoutVariables(Layout polled) {
    if (polled.singleParent().isEmpty()) {
      throw Environment.refuse(
          POLLED.name(), "the path of a collection, without variables", polled.counters());
    }
    return polled;
  }

  private static Layout layout(Environment env, Variable where) {
    return new Layout(
        env.text(where),
        env.id(SHARDS_COLLECTION),
        env.id(ROLLUPS_COLLECTION),
        env.id(RUNS_COLLECTION),
        env.id(COUNT_FIELD));
  }
}
