package dev.tallyroll.functions;

import dev.tallyroll.SumMode;
import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings of the functions, from environment variables.
 *
 * @param layout {@code COUNTERS}, {@code SHARDS_COLLECTION}, {@code ROLLUPS_COLLECTION}, {@code
 *     RUNS_COLLECTION}, {@code COUNT_FIELD}
 * @param polled the same for polled counters, in {@code POLLED}; empty for none
 * @param totalField {@code TOTAL_FIELD}, as the names on the way to it; empty for none
 * @param fold {@code FOLD_DOCUMENTS}, {@code FOLD_FIELDS} and the collections; empty without {@code
 *     FOLD}, which is the runs' tick
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic {@code ROLLUP_TOPIC}
 * @param sum {@code SUM}
 * @param runs {@code TICK}, {@code LEASE}, {@code SLACK}, {@code BURST}, {@code HOLD}, {@code
 *     PRECISION}, {@code WORKERS}, {@code RUN}, {@code IDLE_EXIT}, {@code SWEEP}, {@code
 *     SWEEP_COUNTERS}
 */
public record Settings(
    Layout layout,
    Optional<Layout> polled,
    Optional<List<String>> totalField,
    Optional<Fold> fold,
    String database,
    String topic,
    SumMode sum,
    RunSettings runs) {

  /**
   * Counting in the extension's place.
   *
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public record Fold(FoldLayout layout, Set<List<String>> fields) {}

  private static final String FIELD = "[A-Za-z_]\\w{0,99}(\\.[A-Za-z_]\\w{0,99}){0,9}";

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
    boolean folds = !env.text("FOLD", "").isEmpty();
    Duration tick =
        env.duration(
            folds ? "FOLD" : "TICK",
            Duration.ofSeconds(1),
            Duration.ofMillis(100),
            Duration.ofMinutes(1));
    Duration least = tick.multipliedBy(3);
    Duration otherwise =
        least.compareTo(SHORTEST_DEFAULT_LEASE) > 0 ? least : SHORTEST_DEFAULT_LEASE;
    Duration lease = env.duration("LEASE", otherwise, least, Rollup.LONGEST_LEASE);
    Duration slack =
        env.duration("SLACK", Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(1));
    Duration run = env.duration("RUN", Duration.ofSeconds(70), tick.multipliedBy(2), MAX_RUN);
    Layout layout = layout(env);
    return new Settings(
        layout,
        polled(env, layout),
        totalField(env),
        fold(env, folds, layout),
        env.matching(
            "FIRESTORE_DATABASE",
            "(default)",
            "\\(default\\)|[a-z][a-z0-9-]{2,61}[a-z0-9]",
            "(default) or 4 to 63 lower-case letters, digits and hyphens"),
        env.matching(
            "ROLLUP_TOPIC",
            "rollup",
            "(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}",
            "a Pub/Sub topic id of 3 to 255 characters that starts with a letter, not with goog"),
        env.choice("SUM", SumMode.AGGREGATE),
        new RunSettings(
            new Timing(
                tick,
                lease,
                slack,
                env.integer("BURST", 15, 2, 100),
                hold(env, tick),
                env.share("PRECISION", 0.01)),
            env.integer("WORKERS", 1, 1, 64),
            run,
            env.duration("IDLE_EXIT", tick, tick, run),
            env.duration("SWEEP", Duration.ofMinutes(8), Duration.ofSeconds(1), MAX_RUN),
            env.integer("SWEEP_COUNTERS", 10_000, 100, 10_000_000)));
  }

  private static Duration hold(Environment env, Duration tick) {
    Duration hold = env.duration("HOLD", Duration.ZERO, Duration.ZERO, MAX_HOLD);
    return hold.isZero() ? hold : env.duration("HOLD", hold, tick, MAX_HOLD);
  }

  /** The layout of polled counters, whose collection the trigger does not watch. */
  private static Optional<Layout> polled(Environment env, Layout watched) {
    String path = env.text("POLLED", "polled_counters");
    if (path.isEmpty()) {
      return Optional.empty();
    }
    Layout polled =
        watched
            .polledIn(path)
            .orElseThrow(
                () ->
                    Environment.refuse(
                        "POLLED",
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
            "TOTAL_FIELD",
            "",
            "|(?!(num_shards|numShards|reset_id)\\b)(?!(.*\\.)?__\\w*__(\\.|$))" + FIELD,
            "a field's path, such as likes or stats.likes, but not num_shards, reset_id or __.*__,"
                + " or nothing");
    return Optional.of(path).filter(it -> !it.isEmpty()).map(Settings::names);
  }

  private static List<String> names(String path) {
    return List.of(path.split("\\."));
  }

  /** The shards' collection is the extension's, unless it is set. */
  private static Optional<Fold> fold(Environment env, boolean folds, Layout layout) {
    if (!folds) {
      for (String name : List.of("FOLD_DOCUMENTS", "FOLD_FIELDS")) {
        env.matching(name, "", "", "nothing without FOLD");
      }
      return Optional.empty();
    }
    String fields =
        env.matching(
            "FOLD_FIELDS",
            "",
            "|" + FIELD + "( " + FIELD + ")*",
            "fields' paths with a space between, such as visits stats.likes, or nothing for all");
    String shards = env.id("SHARDS_COLLECTION", FoldLayout.EXTENSION);
    Set<String> own = Set.of(shards, layout.runs(), layout.rollups());
    return Optional.of(
        new Fold(
            new FoldLayout(
                shards, layout.runs(), FoldLayout.documents(env.text("FOLD_DOCUMENTS", ""), own)),
            Stream.of(fields.split(" "))
                .filter(it -> !it.isEmpty())
                .map(Settings::names)
                .collect(Collectors.toUnmodifiableSet())));
  }

  private static Layout layout(Environment env) {
    Layout names = Layout.DEFAULT;
    return new Layout(
        env.text("COUNTERS", names.counters()),
        env.id("SHARDS_COLLECTION", names.shards()),
        env.id("ROLLUPS_COLLECTION", names.rollups()),
        env.id("RUNS_COLLECTION", names.runs()),
        env.id("COUNT_FIELD", names.countField()));
  }
}
