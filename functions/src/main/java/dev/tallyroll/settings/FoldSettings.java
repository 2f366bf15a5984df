package dev.tallyroll.settings;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.runs.RunSettings;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings of the functions that fold, from environment variables.
 *
 * @param layout {@code FOLD_DOCUMENTS}, {@code SHARDS_COLLECTION}, {@code NAME}
 * @param fields {@code FOLD_FIELDS}; empty for all
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic {@code ROLLUP_TOPIC}
 * @param runs {@code FOLD}, which is their tick, and the others of {@link CommonSettings#runs}
 */
public record FoldSettings(
    FoldLayout layout, Set<FieldName> fields, String database, String topic, RunSettings runs) {

  private static final Variable FOLD =
      new Variable("FOLD", "PT1S", "how often a busy document is folded (PT0.1S to PT1M)");

  private static final Variable FOLD_DOCUMENTS =
      new Variable(
          "FOLD_DOCUMENTS",
          "",
          "required: the documents that are folded, as patterns with spaces between, such "
              + "as `pages/{page} rooms/{room}/posts/{post}`. A variable stands for one id; no "
              + "collection of the functions can be named");

  private static final Variable FOLD_FIELDS =
      new Variable(
          "FOLD_FIELDS",
          "",
          "the only fields that are folded, with spaces between, such as `visits "
              + "stats.likes`; empty for every number");

  private static final Variable SHARDS_COLLECTION =
      new Variable(
          "SHARDS_COLLECTION", FoldLayout.EXTENSION, "collection of shards below each document");

  /** Its own, in the order of the README. */
  static final List<Variable> VARIABLES =
      List.of(FOLD, FOLD_DOCUMENTS, FOLD_FIELDS, SHARDS_COLLECTION);

  /**
   * Reads the settings.
   *
   * @param environment gives the value of a variable, or null if it is not set
   * @throws IllegalArgumentException if one is malformed or out of range; the message names it,
   *     what was expected and what was found
   */
  public static FoldSettings from(UnaryOperator<String> environment) {
    Environment env = new Environment(environment);
    for (String name : List.of("NUMBER_FIELD", "AVERAGE_FIELD")) {
      env.matching(
          new Variable(name, "", ""), "", "nothing: it is a setting of the jar that keeps totals");
    }
    env.matching(
        new Variable("COUNT_FIELD", "count", ""),
        "[^.]+",
        "a field's name: only the jar that keeps totals counts documents, or a path");
    String shards = env.id(SHARDS_COLLECTION);
    Set<String> own = Set.of(shards, Layout.RUNS, env.id(CommonSettings.ROLLUPS_COLLECTION));
    return new FoldSettings(
        new FoldLayout(
            shards,
            CommonSettings.deployment(env),
            FoldLayout.documents(env.text(FOLD_DOCUMENTS), own)),
        fields(env),
        CommonSettings.database(env),
        CommonSettings.topic(env),
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
        .collect(Collectors.toUnmodifiableSet());
  }
}
