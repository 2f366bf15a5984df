package dev.tallyroll.settings;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The settings of the functions, from environment variables.
 *
 * @param layout {@code COUNTERS}, {@code SHARDS_COLLECTION}, {@code ROLLUPS_COLLECTION}, {@code
 *     NAME}, {@code COUNT_FIELD}
 * @param poll {@code POLL}: how often all counters are summed; empty if their writes make events
 * @param fields {@code TOTAL_FIELD}, {@code NUMBER_FIELD}, {@code AVERAGE_FIELD}: those that are
 *     set
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic of the schedule and the wake-ups
 * @param sum {@code SUM}
 * @param runs {@code TICK}, or {@code POLL} in its place, {@code HOLD}, {@code PRECISION}, {@code
 *     WORKERS}, {@code SWEEP_COUNTERS}
 */
public record Settings(
    Layout layout,
    Optional<Duration> poll,
    Map<Figure, FieldName> fields,
    String database,
    String topic,
    SumMode sum,
    RunSettings runs) {

  /**
   * How many writes a second make a counter live: below that, RollUp costs more than the events of
   * a counter that is not.
   */
  private static final int BUSY = 3;

  /** With figures in the app's own document, which each event writes while it is not. */
  private static final int BUSY_DOCUMENT = 2;

  private static final Duration LEAST_POLL = Duration.ofSeconds(1);

  static final Variable COUNTERS =
      new Variable(
          "COUNTERS",
          "counters",
          "where counters are: a path pattern whose last part is their collection, such as "
              + "`rooms/{room}/counters`, or `{parent=**}/counters` for any parent. The trigger's "
              + "pattern begins with it");

  static final Variable SHARDS_COLLECTION =
      new Variable(
          "SHARDS_COLLECTION",
          "shards",
          "collection of shards below each counter; with `FOLD` the default is `_counter_shards_`");

  private static final Variable POLL =
      new Variable(
          "POLL",
          "",
          "empty: writes make events. PT1S to PT1M: there is no trigger, and RollUp sums each "
              + "counter so often; below a minute it runs without pause. `COUNTERS` is then a path "
              + "without variables, and `TICK` means nothing");

  private static final Variable TOTAL_FIELD =
      new Variable(
          "TOTAL_FIELD",
          "",
          "a field of each counter's own document that gets its total if it holds a number "
              + "or nothing, such as `likes` or `stats.likes`; empty for none");

  private static final Variable NUMBER_FIELD =
      new Variable("NUMBER_FIELD", "", "the same for the number of documents that were summed");

  private static final Variable AVERAGE_FIELD =
      new Variable(
          "AVERAGE_FIELD", "", "the same for the total / that number, a double; 0 for none");

  static final Variable COUNT_FIELD =
      new Variable(
          "COUNT_FIELD",
          "count",
          "the shards' field, or where it is, such as `review.stars` (`Count` in Google's Go "
              + "sample, `Cnt` in PHP). Empty: each document in `SHARDS_COLLECTION` counts one");

  private static final Map<Figure, Variable> FIELDS =
      Map.of(Figure.TOTAL, TOTAL_FIELD, Figure.NUMBER, NUMBER_FIELD, Figure.AVERAGE, AVERAGE_FIELD);

  private static final Variable TICK =
      new Variable("TICK", "PT1S", "how often a live counter is summed (PT0.1S to PT1M)");

  private static final Variable SUM =
      new Variable(
          "SUM",
          "aggregate",
          "`aggregate`: one read per 1,000 shards; `documents`: one read a shard, with the "
              + "field unindexed");

  /** All of them, in the order of the README. */
  public static final List<Variable> VARIABLES =
      List.of(
          CommonSettings.NAME,
          COUNTERS,
          SHARDS_COLLECTION,
          CommonSettings.ROLLUPS_COLLECTION,
          POLL,
          TOTAL_FIELD,
          NUMBER_FIELD,
          AVERAGE_FIELD,
          COUNT_FIELD,
          CommonSettings.FIRESTORE_DATABASE,
          TICK,
          CommonSettings.WORKERS,
          CommonSettings.HOLD,
          CommonSettings.PRECISION,
          SUM,
          CommonSettings.SWEEP_COUNTERS);

  /**
   * Reads the settings.
   *
   * @param environment gives the value of a variable, or null if it is not set: such as {@code
   *     System::getenv}
   * @throws IllegalArgumentException if one is malformed or out of range; the message names it,
   *     what was expected and what was found
   */
  public static Settings from(UnaryOperator<String> environment) {
    return Environment.whole(environment, Settings::read);
  }

  /** Reads them, and notes what is wrong. */
  static Settings read(Environment env) {
    for (String name : List.of("FOLD", "FOLD_DOCUMENTS", "FOLD_FIELDS")) {
      env.matching(
          new Variable(name, "", ""), "", "nothing: it is a setting of the jar that folds");
    }
    Optional<Duration> poll = poll(env);
    Map<Figure, FieldName> fields = fields(env);
    Layout layout = layout(env);
    for (String name : List.of(layout.countersCollection(), layout.shards(), layout.rollups())) {
      if (name.equals(Layout.INCREMENT_NAMES)) {
        env.note(
            "collections: expected names other than that of increments' names; found '"
                + name
                + "'");
      }
    }
    if (poll.isPresent() && layout.singleParent().isEmpty()) {
      env.wrong(
          COUNTERS,
          "the path of a collection, without variables, since POLL is set",
          layout.counters());
    }
    return new Settings(
        layout,
        poll,
        fields,
        CommonSettings.database(env),
        CommonSettings.topic(env, layout.deployment()),
        sum(env, layout),
        CommonSettings.runs(
            env,
            poll.orElseGet(() -> CommonSettings.tick(env, TICK)),
            fields.isEmpty() ? BUSY : BUSY_DOCUMENT));
  }

  /** Whether clients increment shards; else people's documents are counted as they are. */
  public boolean incrementsShards() {
    return layout.counted().filter(field -> field.names().size() == 1).isPresent()
        && !fields.containsKey(Figure.NUMBER)
        && !fields.containsKey(Figure.AVERAGE);
  }

  /** Whether an empty value of a variable is not its default. */
  static boolean isSaying(String variable) {
    return variable.equals(COUNT_FIELD.name());
  }

  /** Whether a trigger watches shards. */
  public boolean hasTrigger() {
    return poll.isEmpty();
  }

  private static SumMode sum(Environment env, Layout layout) {
    SumMode sum = env.choice(SUM, SumMode.AGGREGATE);
    if (sum == SumMode.DOCUMENTS && layout.counted().isEmpty()) {
      env.wrong(SUM, "aggregate with an empty COUNT_FIELD, as no field is summed", "documents");
    }
    return sum;
  }

  private static Map<Figure, FieldName> fields(Environment env) {
    Map<Figure, FieldName> fields = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      Variable variable = Objects.requireNonNull(FIELDS.get(figure));
      Optional<FieldName> field = field(env, variable);
      Set<FieldName> others = Set.copyOf(fields.values());
      if (field.filter(path -> others.contains(path) || path.isInside(others)).isPresent()) {
        env.wrong(
            variable,
            "a field other than " + others + ", and not on the way to it or inside",
            env.text(variable));
      }
      field.ifPresent(path -> fields.put(figure, path));
    }
    return fields;
  }

  /** A field of the counters' own documents, other than the library's own. */
  private static Optional<FieldName> field(Environment env, Variable variable) {
    String path =
        env.matching(
            variable,
            "|(?!(num_shards|numShards|reset_id)\\b)(?!(.*\\.)?__\\w*__(\\.|$))"
                + FieldName.PATTERN,
            "a field's path, such as likes or stats.likes, but not num_shards, reset_id or __.*__,"
                + " or nothing");
    return Optional.of(path).filter(field -> !field.isEmpty()).map(FieldName::parse);
  }

  private static Optional<Duration> poll(Environment env) {
    return env.text(POLL).isEmpty()
        ? Optional.empty()
        : Optional.of(env.duration(POLL, LEAST_POLL, LEAST_POLL, RunSettings.SCHEDULE));
  }

  private static Layout layout(Environment env) {
    return env.made(
        () ->
            new Layout(
                env.text(COUNTERS),
                env.id(SHARDS_COLLECTION),
                env.id(CommonSettings.ROLLUPS_COLLECTION),
                CommonSettings.deployment(env),
                env.text(COUNT_FIELD)),
        () -> Layout.DEFAULT);
  }
}
