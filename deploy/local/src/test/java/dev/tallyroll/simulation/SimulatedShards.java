package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.Optional;

/** Shards in the simulated database. */
record SimulatedShards(ClientWrites writes) implements ShardStore {
  @Override
  public Instant increment(CounterPath counter, int shard, Total delta) {
    return writes.increment(counter, shard, delta);
  }

  @Override
  public Optional<Instant> update(CounterPath counter, int shard, Total delta) {
    return writes.update(counter, shard, delta);
  }

  @Override
  public Instant set(CounterPath counter, int shard, Optional<Object> field) {
    return writes.set(counter, shard, field);
  }

  @Override
  public Instant delete(CounterPath counter, int shard) {
    return writes.delete(counter, shard);
  }
}
