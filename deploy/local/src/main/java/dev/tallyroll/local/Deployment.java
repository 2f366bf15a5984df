package dev.tallyroll.local;

import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Settings;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The classes, the trigger and the names of a deployment. Functions that count and functions that
 * fold differ in these.
 *
 * @param handler the class that takes events
 * @param roller the class that takes messages
 * @param triggerType as {@code deploy} takes it: to fold, it is enough to hear of each new shard
 */
record Deployment(
    String handler,
    String roller,
    boolean hasTrigger,
    String triggerType,
    String triggerPattern,
    String shards,
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
          /* hasTrigger= */ true,
          Emulator.CREATED,
          layout.pattern(),
          layout.shards(),
          path -> layout.shard(path).isPresent(),
          folding.database(),
          folding.topic());
    }
    var counting = Settings.from(settings::get);
    var layout = counting.layout();
    return new Deployment(
        "dev.tallyroll.functions.OnShardWritten",
        "dev.tallyroll.functions.RollUp",
        counting.hasTrigger(),
        Emulator.WRITTEN,
        LocalCloudOptions.shardPattern(layout.counters(), layout.shards()),
        layout.shards(),
        path -> layout.counterOfShard(path).isPresent(),
        counting.database(),
        counting.topic());
  }
}
