package dev.tallyroll.local.up;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the functions count, by their settings: counters, or with FOLD fields of documents.
 * Immutable.
 *
 * @param layout of counters; with FOLD, which has none, the default
 * @param hasTrigger whether writes make events; else RollUp sums all counters each POLL
 * @param fold the settings of the functions that fold; empty without FOLD
 * @param fields of counters' own documents, which show figures
 * @param documents empty if clients increment shards, or with FOLD
 */
record Served(
    Layout layout,
    boolean hasTrigger,
    RunSettings runs,
    Optional<FoldSettings> fold,
    Map<Figure, FieldName> fields,
    Optional<Documents> documents) {
  private static final Pattern VALUES = Pattern.compile("(-?\\d{1,15})\\.\\.(-?\\d{1,15})");

  /**
   * Documents of people, which are counted as they are.
   *
   * @param least of the numbers that rules let people write; 1 if each document counts one
   * @param most of these numbers
   */
  record Documents(long least, long most) {
    /** The range of {@code RULES_VALUES}. */
    String range() {
      return least + ".." + most;
    }

    /** One of these numbers. */
    long pick(Random random) {
      return least + (long) (random.nextDouble() * (double) (most - least + 1));
    }
  }

  /** A pattern as in a setting. */
  static String word(PathPattern pattern) {
    return String.join("/", pattern.parts());
  }

  /** Patterns as in a setting. */
  static String words(List<PathPattern> patterns) {
    return patterns.stream().map(Served::word).collect(Collectors.joining(" "));
  }

  /**
   * Reads the functions' settings as they do.
   *
   * @throws IllegalArgumentException if one is malformed
   */
  static Served by(Map<String, String> environment) {
    if (LocalCloudOptions.isFolding(environment)) {
      FoldSettings folding = FoldSettings.from(environment::get);
      return new Served(
          Layout.DEFAULT,
          /* hasTrigger= */ true,
          folding.runs(),
          Optional.of(folding),
          Map.of(),
          Optional.empty());
    }
    Settings counting = Settings.from(environment::get);
    return new Served(
        counting.layout(),
        counting.hasTrigger(),
        counting.runs(),
        Optional.empty(),
        counting.fields(),
        Optional.of(values(environment, counting.layout()))
            .filter(documents -> LocalCloudOptions.countsDocuments(environment)));
  }

  private static Documents values(Map<String, String> environment, Layout layout) {
    String given = environment.getOrDefault("RULES_VALUES", "");
    if (layout.counted().isEmpty()) {
      return new Documents(1, 1);
    }
    Matcher range = VALUES.matcher(given.isEmpty() ? "1..5" : given);
    if (!range.matches()) {
      throw new IllegalArgumentException(
          "RULES_VALUES: expected the least and the most, such as 1..5; found " + given);
    }
    return new Documents(Long.parseLong(range.group(1)), Long.parseLong(range.group(2)));
  }
}
