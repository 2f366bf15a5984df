package dev.tallyroll.local.up;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.operator.ClientRules;
import dev.tallyroll.operator.RulesOptions;
import dev.tallyroll.operator.RulesOptions.Kind;
import dev.tallyroll.operator.RulesOptions.Values;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
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
  private static final Documents STARS = new Documents(1, 5);

  /**
   * Documents of people, which are counted as they are.
   *
   * @param least of the numbers that rules let people write; 1 if each document counts one
   * @param most of these numbers
   */
  record Documents(long least, long most) {
    /** The range, as the rules' option takes it. */
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
        Optional.of(values(counting.layout()))
            .filter(documents -> LocalCloudOptions.countsDocuments(environment)));
  }

  /**
   * The security rules of a kind for these settings. With FOLD there is one kind. For counters
   * under any parent, which only their owner can say more of, they are those for counters at the
   * root.
   *
   * @throws IllegalArgumentException if there are none
   */
  String rules(Kind kind) {
    return fold.map(folding -> rules(folding, kind == Kind.OWN ? Kind.PLAIN : kind))
        .orElseGet(
            () ->
                ClientRules.of(
                    kind == Kind.OWN || !layout.fixedStart().isEmpty()
                        ? layout
                        : layout.in(layout.countersCollection()),
                    fields,
                    RulesOptions.of(
                        kind,
                        Optional.of(new Values(STARS.least, STARS.most))
                            .filter(values -> kind == Kind.OWN && layout.counted().isPresent()))));
  }

  private static String rules(FoldSettings fold, Kind kind) {
    return ClientRules.of(
        fold.layout(), FoldedPage.fields(fold).toList(), RulesOptions.of(kind, Optional.empty()));
  }

  private static Documents values(Layout layout) {
    return layout.counted().isEmpty() ? new Documents(1, 1) : STARS;
  }
}
