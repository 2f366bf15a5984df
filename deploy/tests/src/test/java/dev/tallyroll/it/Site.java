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
 * <p>Periods and leases are shorter than by default, because most tests mainly wait for a total to
 * settle. The slack is not shorter, because the emulator needs all of it. {@code PageIT} and {@code
 * UpIT} use all default settings.
 */
@SuppressWarnings("ImmutableEnumChecker") // A record of strings and Map.of are immutable.
public enum Site {
  /** The default names. Many tests use this site at once, so no test may disturb another. */
  SHARED(Layout.DEFAULT, "tallyroll", true, Map.of(), Map.of()),

  /**
   * For tests that kill functions or count operations, one at a time. The count field is that of
   * Google's sample in Go. A run starts only when a function or the test asks for it, and ends soon
   * after its work, or at a takeover.
   */
  LONE(
      new Layout("{parent=**}/counters/{counter}/shards", "rollups", "Count"),
      "tallyroll",
      false,
      Map.of(),
      Map.of("RUN", "PT500S", "SWEEP_COUNTERS", "500")),

  /**
   * Has no default name; the count field is that of Google's sample in PHP. Has two workers, shows
   * totals in the counters' own documents, and runs in the next invoker.
   */
  RENAMED(
      new Layout("{parent=**}/pages/{page}/_counter_shards_", "totals", "Cnt"),
      "workers",
      true,
      Map.of("index", false, "into", Map.of("sum", "stats.likes")),
      Map.of("FIRESTORE_DATABASE", "tallies-db", "ROLLUP_TOPIC", "tally-topic", "WORKERS", "2")),

  /** Posts with likes, which are documents; in a project of its own beside {@link #SHARED}. */
  LIKES(
      new Layout("posts/{post}/likes", "rollups", ""),
      "tallyroll",
      true,
      Map.of("into", Map.of("count", "likes")),
      Map.of()),

  /** The same posts with ratings. */
  RATINGS(
      new Layout("posts/{post}/ratings", "rollups_of_ratings", "review.stars"),
      "tally-ratings",
      true,
      Map.of(
          "into",
          Map.of("sum", "stats.stars", "count", "stats.ratings", "average", "stats.average")),
      Map.of());

  private final Layout layout;
  private final String deployment;
  private final boolean scheduled;
  private final Map<String, Object> keys;
  private final Map<String, String> others;

  /**
   * @param keys of the entry, beside those of the layout
   */
  Site(
      Layout layout,
      String deployment,
      boolean scheduled,
      Map<String, Object> keys,
      Map<String, String> others) {
    this.layout = layout;
    this.deployment = deployment;
    this.scheduled = scheduled;
    this.keys = keys;
    this.others = others;
  }

  Layout layout() {
    return layout;
  }

  String deployment() {
    return deployment;
  }

  /** The site's file of totals, with a short period. */
  TestTotals totals() {
    return totals(layout);
  }

  /** The same for another layout. */
  TestTotals totals(Layout other) {
    TestTotals totals = TestTotals.of(other).with("every", "PT0.5S");
    for (var key : keys.entrySet()) {
      totals = totals.with(key.getKey(), key.getValue());
    }
    return totals;
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
    settings.putAll(totals().settings());
    settings.put("LEASE", "PT1.5S");
    settings.put("BURST", "5");
    settings.put("NAME", deployment);
    return settings;
  }
}
