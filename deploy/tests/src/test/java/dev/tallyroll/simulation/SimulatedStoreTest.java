package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.ConfirmedSettings;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tests the simulated Firestore by {@link StoreContract}. */
class SimulatedStoreTest extends StoreContract {
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15);

  private final World world = World.scripted(TIMING);
  private final SimulatedFirestore store = world.connect(world.instance(), Layout.DEFAULT);

  SimulatedStoreTest() {
    world.database.onRollup((counter, rollup) -> {}); // no checks: the totals here have no shards
  }

  @Override
  protected RollupStore rollups() {
    return store;
  }

  @Override
  protected RunStore runs() {
    return store;
  }

  @Override
  protected ConfirmedSettings.Documents settings() {
    return store;
  }

  @Override
  protected <T> T get(CompletableFuture<T> call) {
    world.time.run(Duration.ofSeconds(1), call::isDone);
    return call.join();
  }

  @Override
  protected void putShard(CounterPath counter, int shard, Optional<Object> value) {
    world.database.put(counter, shard, value);
  }

  @Override
  protected void putForeign(CounterPath counter) {
    world.database.putForeign(
        counter,
        new Rollup(new Total.Whole(5), 1, world.time.now(), Optional.empty(), world.time.now()));
  }

  @Override
  protected RollupStore showing() {
    world.hasTotalField = true;
    return store;
  }

  @Override
  protected void putDocument(CounterPath counter, Map<String, Object> fields) {
    world.database.documents.put(counter, fields);
  }

  @Override
  protected Optional<Object> shown(CounterPath counter) {
    return world.database.documents.field(counter).total().map(Total::number);
  }

  @Override
  protected boolean hasDocument(CounterPath counter) {
    return world.database.documents.has(counter);
  }
}
