package dev.tallyroll.local.up;

import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.fold.FoldSettings;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.runs.RunSettings;
import java.util.Map;
import java.util.Optional;

/**
 * What the functions count, by their settings: counters, or with FOLD fields of documents.
 * Immutable.
 *
 * @param layout of counters; with FOLD, which has none, the default
 * @param polled of polled counters; empty for none; the first layout without a trigger
 * @param hasTrigger whether a trigger watches the first layout
 * @param fold of shards; empty without FOLD
 */
record Served(
    Layout layout,
    Optional<Layout> polled,
    boolean hasTrigger,
    RunSettings runs,
    Optional<FoldLayout> fold) {

  /** The layout of polled counters that are not where the others are. */
  Optional<Layout> polledApart() {
    return polled.filter(layout -> hasTrigger);
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
          Optional.empty(),
          /* hasTrigger= */ true,
          folding.runs(),
          Optional.of(folding.layout()));
    }
    Settings counting = Settings.from(environment::get);
    return new Served(
        counting.layout(),
        counting.polled(),
        counting.hasTrigger(),
        counting.runs(),
        Optional.empty());
  }
}
