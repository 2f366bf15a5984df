package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What clients do to shards, each at one moment. A counter's own document is there from the first
 * of its shards on.
 */
final class ClientWrites {
  private final Database database;

  ClientWrites(Database database) {
    this.database = database;
  }

  /** Makes the shard if there is none, and replaces what is not a number, as merging sets do. */
  Instant increment(CounterPath counter, int shard, Total delta) {
    Total count =
        Optional.ofNullable(shards(counter).get(shard))
            .filter(Database.Shard::isNumber)
            .map(old -> Numbers.increment(old.count(), delta))
            .orElse(delta);
    return set(counter, shard, Optional.of(count.number()));
  }

  /** As {@link #increment}, of a shard that must be there. */
  Optional<Instant> update(CounterPath counter, int shard, Total delta) {
    return database.shards.getOrDefault(counter, Map.of()).containsKey(shard)
        ? Optional.of(increment(counter, shard, delta))
        : Optional.empty();
  }

  /** Replaces the shard's document; by one without the field, if that is empty. */
  Instant set(CounterPath counter, int shard, Optional<Object> field) {
    Map<Integer, Database.Shard> shards = shards(counter);
    Database.Shard old = shards.get(shard);
    if (old != null && old.field().equals(field)) {
      return old.updateTime(); // a write that changes nothing keeps the version
    }
    Instant now = database.tick();
    shards.put(shard, new Database.Shard(field, now));
    return now;
  }

  Instant delete(CounterPath counter, int shard) {
    database.shards.getOrDefault(counter, new TreeMap<>()).remove(shard);
    return database.tick();
  }

  private Map<Integer, Database.Shard> shards(CounterPath counter) {
    return database.shards.computeIfAbsent(counter, unused -> new TreeMap<>());
  }
}
