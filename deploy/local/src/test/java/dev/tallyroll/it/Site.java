package dev.tallyroll.it;

import dev.tallyroll.stored.Layout;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The local clouds that tests work on, by the settings of their functions. Immutable.
 *
 * <p>Ticks and leases are shorter than they come, as most tests do little but wait for a total to
 * settle. The slack is not: the emulator needs all of it. Functions with all settings as they come
 * are those of {@code DeployedFolderIT}, {@code ConsoleIT} and {@code UpIT}.
 */
@SuppressWarnings("ImmutableEnumChecker") // A record of strings and Map.of are immutable.
public enum Site {
  /** With the names as they come. Used by many tests at once, so by none that disturbs another. */
  SHARED(Layout.DEFAULT, true, Map.of()),

  /** For the client library, whose thousands of calls at once would hold up others' events. */
  LIBRARY(Layout.DEFAULT, true, Map.of()),

  /**
   * For tests that kill functions or count what they do, one at a time. The field is that of
   * Google's sample in Go. A run starts only when a function wakes it or the test asks for it, and
   * ends soon after its work, or when another takes over.
   */
  LONE(
      new Layout("{parent=**}/counters", "shards", "rollups", "rollup_runs", "Count"),
      false,
      Map.of("RUN", "PT530S", "SWEEP_COUNTERS", "500")),

  /** As {@link #LONE}, so that two such tests can run side by side. */
  OTHER_LONE(LONE.layout, LONE.scheduled, LONE.others),

  /**
   * Every name is another: the shards are where the Firebase extension has them, the field is that
   * of Google's sample in PHP; two workers.
   */
  RENAMED(
      new Layout("{parent=**}/pages", "_counter_shards_", "totals", "workers", "Cnt"),
      true,
      Map.of(
          "FIRESTORE_DATABASE",
          "tallies-db",
          "ROLLUP_TOPIC",
          "tally-topic",
          "SUM",
          "documents",
          "WORKERS",
          "2"));

  private final Layout layout;
  private final boolean scheduled;
  private final Map<String, String> others;

  Site(Layout layout, boolean scheduled, Map<String, String> others) {
    this.layout = layout;
    this.scheduled = scheduled;
    this.others = others;
  }

  Layout layout() {
    return layout;
  }

  boolean isForOneTestAtATime() {
    return !scheduled;
  }

  /**
   * How often the clock asks for runs, which settle new roll-ups, and make up for wake-ups that
   * were lost; never for zero.
   */
  Duration schedule() {
    return scheduled ? Duration.ofSeconds(3) : Duration.ZERO;
  }

  Map<String, String> settings() {
    var settings = new TreeMap<>(others);
    settings.put("TICK", "PT0.5S");
    settings.put("LEASE", "PT1.5S");
    settings.put("BURST", "5");
    settings.put("COUNTERS", layout.counters());
    settings.put("SHARDS_COLLECTION", layout.shards());
    settings.put("ROLLUPS_COLLECTION", layout.rollups());
    settings.put("RUNS_COLLECTION", layout.runs());
    settings.put("COUNT_FIELD", layout.countField());
    return settings;
  }
}
