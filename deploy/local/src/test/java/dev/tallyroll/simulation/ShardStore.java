package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.Optional;

/**
 * What clients do to a counter's shards; with its first shard they make the counter's own document.
 * Each call returns the shard's update time; a delete, that of the delete.
 */
interface ShardStore {
  /** Makes the shard if there is none. */
  Instant increment(CounterPath counter, int shard, Total delta) throws Exception;

  /** Empty if there is no such shard. */
  Optional<Instant> update(CounterPath counter, int shard, Total delta) throws Exception;

  /** Replaces the shard; by one without the field, if that is empty. */
  Instant set(CounterPath counter, int shard, Optional<Object> field) throws Exception;

  Instant delete(CounterPath counter, int shard) throws Exception;
}
