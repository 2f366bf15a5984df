package dev.tallyroll.settings;

import com.google.common.collect.ImmutableSet;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.runs.RunSettings;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The settings of the functions that fold, from environment variables.
 *
 * @param layout {@code FOLD_DOCUMENTS}, {@code SHARDS_COLLECTION}, {@code NAME}
 * @param fields {@code FOLD_FIELDS}; empty for all
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic of the schedule and the wake-ups
 * @param runs {@code FOLD}, which is their tick, and the others of {@link CommonSettings#runs}
 */
public record FoldSettings(
    FoldLayout layout, Set<FieldName> fields, String database, String topic, RunSettings runs) {

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

  static final Variable SHARDS_COLLECTION =
      new Variable(
          "SHARDS_COLLECTION", FoldLayout.EXTENSION, "collection of shards below each document");

  /** Its own, in the order of the README. */
  static final List<Variable> VARIABLES =
      List.of(FOLD, FOLD_DOCUMENTS, FOLD_FIELDS, SHARDS_COLLECTION);

  /** Those, and the ones that all functions have. */
  static final List<Variable> ALL =
      Stream.of(
              List.of(CommonSettings.NAME, CommonSettings.ROLLUPS_COLLECTION),
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

  /** Reads them, and notes what is wrong. */
  static FoldSettings read(Environment env) {
    for (String name : List.of("POLL", "NUMBER_FIELD", "AVERAGE_FIELD")) {
      env.matching(
          new Variable(name, "", ""), "", "nothing: it is a setting of the jar that keeps totals");
    }
    env.matching(
        new Variable("COUNT_FIELD", "count", ""),
        "[^.]+",
        "a field's name: only the jar that keeps totals counts documents, or a path");
    String shards = env.id(SHARDS_COLLECTION);
    List<String> own = List.of(shards, Layout.RUNS, env.id(CommonSettings.ROLLUPS_COLLECTION));
    String deployment = CommonSettings.deployment(env);
    return new FoldSettings(
        env.made(
            () ->
                new FoldLayout(
                    shards, deployment, FoldLayout.documents(env.text(FOLD_DOCUMENTS), own)),
            () -> new FoldLayout(FoldLayout.EXTENSION, deployment, List.of())),
        fields(env),
        CommonSettings.database(env),
        CommonSettings.topic(env, deployment),
        CommonSettings.runs(env, CommonSettings.tick(env, FOLD), /* busy= */ 3));
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
