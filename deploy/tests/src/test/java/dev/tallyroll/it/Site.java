package dev.tallyroll.it;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.LocalCloudOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The local clouds of the tests, each with other settings of its functions. Immutable.
 *
 * <p>Ticks and leases are shorter than by default, because most tests mainly wait for a total to
 * settle. The slack is not shorter, because the emulator needs all of it. {@code PageIT} and {@code
 * UpIT} use all default settings.
 */
@SuppressWarnings("ImmutableEnumChecker") // A record of strings and Map.of are immutable.
public enum Site {
  /** Has the default names. Many tests use it at once, so no test may disturb another. */
  SHARED(Layout.DEFAULT, true, Map.of()),

  /**
   * For tests that kill functions or count operations, one at a time. The count field is that of
   * Google's sample in Go. A run starts only when a function or the test asks for it, and ends soon
   * after its work, or at a takeover.
   */
  LONE(
      new Layout("{parent=**}/counters", "shards", "rollups", "tallyroll", "Count"),
      false,
      Map.of("RUN", "PT500S", "SWEEP_COUNTERS", "500")),

  /**
   * Has no default name; the count field is that of Google's sample in PHP. Has two workers, shows
   * totals in the counters' own documents, and runs in the next invoker.
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
          "TOTAL_FIELD",
          "stats.likes",
          "WORKERS",
          "2")),

  /** Posts with likes, which are documents; in a project of its own beside {@link #SHARED}. */
  LIKES(
      new Layout("posts", "likes", "rollups", "tallyroll", ""),
      true,
      Map.of("TOTAL_FIELD", "likes")),

  /** The same posts with ratings. */
  RATINGS(
      new Layout("posts", "ratings", "rollups_of_ratings", "tally-ratings", "review.stars"),
      true,
      Map.of(
          "TOTAL_FIELD", "stats.stars",
          "NUMBER_FIELD", "stats.ratings",
          "AVERAGE_FIELD", "stats.average"));

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

  /** The site whose emulators it has, in a project of its own; empty if it has emulators. */
  Optional<Site> beside() {
    return this == LIKES || this == RATINGS ? Optional.of(SHARED) : Optional.empty();
  }

  boolean isForOneTestAtATime() {
    return !scheduled;
  }

  /**
   * The time between the schedule's messages for runs, which settle new roll-ups and replace lost
   * wake-ups; zero for no schedule.
   */
  Duration schedule() {
    return scheduled ? Duration.ofSeconds(3) : Duration.ZERO;
  }

  String invoker() {
    return this == RENAMED ? LocalCloudOptions.NEXT_INVOKER : LocalCloudOptions.PRODUCTION_INVOKER;
  }

  Map<String, String> settings() {
    var settings = new TreeMap<>(others);
    settings.put("TICK", "PT0.5S");
    settings.put("LEASE", "PT1.5S");
    settings.put("BURST", "5");
    settings.put("COUNTERS", layout.counters());
    settings.put("SHARDS_COLLECTION", layout.shards());
    settings.put("ROLLUPS_COLLECTION", layout.rollups());
    settings.put("NAME", layout.deployment());
    settings.put("COUNT_FIELD", layout.countField());
    return settings;
  }
}
