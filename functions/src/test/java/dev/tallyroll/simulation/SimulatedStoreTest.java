package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** {@link StoreContract} of the simulated Firestore. */
class SimulatedStoreTest extends StoreContract {
  private final VirtualTime time = new VirtualTime();
  private final Database database = new Database(time);
  private final SimulatedFirestore store =
      new SimulatedFirestore(
          database, time, new Faults(1, 0), new Instance(time, Duration.ZERO), Duration.ZERO);
  private int counters;

  @Override
  protected RollupStore rollups() {
    return store;
  }

  @Override
  protected RunStore runs() {
    return store;
  }

  @Override
  protected <T> T get(CompletableFuture<T> call) {
    time.run(Duration.ofSeconds(1), call::isDone);
    return call.join();
  }

  @Override
  protected void putShard(CounterPath counter, int shard, Optional<Object> value) {
    database
        .shards
        .computeIfAbsent(counter, unused -> new TreeMap<>())
        .put(shard, new Database.Shard(value, database.tick()));
  }

  @Override
  protected void putForeign(CounterPath counter) {
    database.putForeign(
        counter, new Rollup(new Total.Whole(5), 1, time.now(), Optional.empty(), time.now()));
  }

  @Override
  protected CounterPath counter() {
    return CounterPath.of("c" + counters++);
  }

  @Override
  protected int worker() {
    return 0;
  }
}
