package dev.tallyroll.local;

import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The classes, the triggers and the names of a deployment. Functions that keep totals and functions
 * that fold differ in these.
 *
 * @param handler the class that takes events
 * @param roller the class that takes messages
 * @param triggerType as {@code deploy} takes it: to fold, it is enough to hear of each new shard
 * @param triggerPatterns each once; none without events
 * @param shards the collections that these are of
 */
record Deployment(
    String handler,
    String roller,
    String triggerType,
    List<String> triggerPatterns,
    Set<String> shards,
    Predicate<String> isShard,
    String database,
    String topic) {

  static Deployment of(Map<String, String> settings) {
    if (LocalCloudOptions.isFolding(settings)) {
      var folding = FoldSettings.from(settings::get);
      var layout = folding.layout();
      return new Deployment(
          "dev.tallyroll.fold.OnShardCreated",
          "dev.tallyroll.fold.Fold",
          Emulator.CREATED,
          List.of(layout.pattern()),
          Set.of(layout.shards()),
          path -> layout.shard(path).isPresent(),
          folding.database(),
          folding.topic());
    }
    var totals = Settings.from(settings::get);
    List<Entry> watched = totals.entries().stream().filter(Entry::hasEvents).toList();
    return new Deployment(
        "dev.tallyroll.functions.OnShardWritten",
        "dev.tallyroll.functions.RollUp",
        Emulator.WRITTEN,
        watched.stream().map(entry -> entry.layout().trigger()).distinct().toList(),
        watched.stream()
            .map(entry -> entry.layout().shards())
            .collect(Collectors.toUnmodifiableSet()),
        path -> watched.stream().anyMatch(entry -> entry.layout().isOfShard(path)),
        totals.database(),
        totals.topic());
  }

  /** Whether writes make events. */
  boolean hasTrigger() {
    return !triggerPatterns.isEmpty();
  }
}
