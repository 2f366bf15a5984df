package dev.tallyroll.local;

import dev.tallyroll.Layout;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The functions' settings, as environment variables. The functions check them; this only knows what
 * the wires depend on. Immutable.
 */
record FunctionSettings(Map<String, String> values) {
  /**
   * Above the time that a commit can be in flight on the emulator, which breaks production's
   * read-time promise.
   */
  private static final Map<String, String> LOCAL = Map.of("SLACK", "PT2S");

  private static final List<String> NAMES =
      List.of(
          "COUNTERS",
          "SHARDS_COLLECTION",
          "ROLLUPS_COLLECTION",
          "RUNS_COLLECTION",
          "COUNT_FIELD",
          "FIRESTORE_DATABASE",
          "TICK",
          "LEASE",
          "SLACK",
          "LANES",
          "WORKERS",
          "SUM",
          "RUN",
          "IDLE_EXIT",
          "SWEEP",
          "ROLLUP_TOPIC");

  FunctionSettings {
    values = Map.copyOf(values);
  }

  static FunctionSettings withLocalDefaults(Map<String, String> given) {
    var all = new TreeMap<>(LOCAL);
    all.putAll(given);
    return new FunctionSettings(all);
  }

  /** Those variables of an environment that are settings of the functions. */
  static Map<String, String> in(Map<String, String> environment) {
    var found = new TreeMap<>(environment);
    found.keySet().retainAll(NAMES);
    return found;
  }

  String database() {
    return values.getOrDefault("FIRESTORE_DATABASE", "(default)");
  }

  String topic() {
    return values.getOrDefault("ROLLUP_TOPIC", "rollup");
  }

  String triggerPattern() {
    return LocalCloudOptions.shardPattern(
        values.getOrDefault("COUNTERS", Layout.DEFAULT.counters()),
        values.getOrDefault("SHARDS_COLLECTION", "shards"));
  }
}
