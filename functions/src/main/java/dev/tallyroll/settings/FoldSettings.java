package dev.tallyroll.settings;

import com.google.common.collect.ImmutableSet;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The settings of the functions that fold, from environment variables.
 *
 * @param layout {@code FOLD_DOCUMENTS}, {@code NAME}
 * @param fields {@code FOLD_FIELDS}; empty for all
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic of the schedule and the wake-ups
 * @param timing {@code FOLD}, which is their tick
 * @param runs {@code WORKERS}, {@code SWEEP_COUNTERS}
 */
public record FoldSettings(
    FoldLayout layout,
    Set<FieldName> fields,
    String database,
    String topic,
    Timing timing,
    RunSettings runs) {

  private static final Variable FOLD =
      new Variable(
          "FOLD",
          "PT1S",
          "in the place of Firebase's extension: how often a busy document is folded (PT0.1S to PT1M)");

  static final Variable FOLD_DOCUMENTS =
      new Variable(
          "FOLD_DOCUMENTS",
          "",
          "required with `FOLD`: the documents that are folded, as patterns with spaces between, such "
              + "as `pages/{page} rooms/{room}/posts/{post}`. A variable stands for one id; no "
              + "collection of the functions can be named");

  private static final Variable FOLD_FIELDS =
      new Variable(
          "FOLD_FIELDS",
          "",
          "with `FOLD`: the only fields that are folded, with spaces between, such as `visits "
              + "stats.likes`; empty for every number");

  /** The settings of functions that fold alone, in the order of the README. */
  static final List<Variable> VARIABLES = List.of(FOLD, FOLD_DOCUMENTS, FOLD_FIELDS);

  /** The settings of functions that fold, with those that all functions have. */
  static final List<Variable> ALL =
      Stream.of(
              List.of(CommonSettings.NAME),
              VARIABLES,
              List.of(
                  CommonSettings.FIRESTORE_DATABASE,
                  CommonSettings.WORKERS,
                  CommonSettings.SWEEP_COUNTERS))
          .flatMap(List::stream)
          .toList();

  /**
   * Reads the settings.
   *
   * @param environment gives the value of a variable, or null if it is not set
   * @throws IllegalArgumentException if one is malformed or out of range; the message names it,
   *     what was expected and what was found
   */
  public static FoldSettings from(UnaryOperator<String> environment) {
    return Environment.whole(environment, FoldSettings::read);
  }

  /** Reads the settings, and notes each mistake. */
  static FoldSettings read(Environment env) {
    env.matching(
        Settings.TOTALS, "", "nothing with FOLD: it is a setting of the jar that keeps totals");
    String deployment = CommonSettings.deployment(env);
    Duration every = env.duration(FOLD, Duration.ofMillis(100), RunSettings.SCHEDULE);
    return new FoldSettings(
        env.made(
            () -> new FoldLayout(deployment, FoldLayout.documents(env.text(FOLD_DOCUMENTS))),
            () -> new FoldLayout(deployment, List.of())),
        fields(env),
        CommonSettings.database(env),
        CommonSettings.topic(env, deployment),
        CommonSettings.timing(env, every),
        CommonSettings.runs(env, every));
  }

  private static Set<FieldName> fields(Environment env) {
    String field = FieldName.PATTERN;
    String fields =
        env.matching(
            FOLD_FIELDS,
            "|" + field + "( " + field + ")*",
            "fields' paths with a space between, such as visits stats.likes, or nothing for all");
    return Stream.of(fields.split(" "))
        .filter(path -> !path.isEmpty())
        .map(FieldName::parse)
        .collect(ImmutableSet.toImmutableSet()); // in their order
  }
}
