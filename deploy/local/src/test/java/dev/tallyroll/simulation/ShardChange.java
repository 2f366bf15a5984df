package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.Optional;

/** Something that a client does to a shard. */
sealed interface ShardChange {
  /** Makes the change; empty if there is no such shard. */
  Optional<Instant> on(ShardStore store, CounterPath counter, int shard) throws Exception;

  /** A merging set. */
  record Increment(Total delta) implements ShardChange {
    @Override
    public Optional<Instant> on(ShardStore store, CounterPath counter, int shard) throws Exception {
      return Optional.of(store.increment(counter, shard, delta));
    }
  }

  /** An update, which needs the shard. */
  record Update(Total delta) implements ShardChange {
    @Override
    public Optional<Instant> on(ShardStore store, CounterPath counter, int shard) throws Exception {
      return store.update(counter, shard, delta);
    }
  }

  /** A set of the whole document. */
  record Put(Optional<Object> field) implements ShardChange {
    @Override
    public Optional<Instant> on(ShardStore store, CounterPath counter, int shard) throws Exception {
      return Optional.of(store.set(counter, shard, field));
    }
  }

  /** A delete, of a shard that may not be there. */
  record Delete() implements ShardChange {
    @Override
    public Optional<Instant> on(ShardStore store, CounterPath counter, int shard) throws Exception {
      return Optional.of(store.delete(counter, shard));
    }
  }
}
