package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Users, who create counters, increment and decrement shards, and delete them. */
final class Clients {
  private static final int SHARDS = 3;

  private final World world;
  private final Faults faults;
  private final Deliveries<CounterPath> deliveries;
  private int working;

  Clients(World world, Deliveries<CounterPath> deliveries) {
    this.world = world;
    this.faults = world.faults;
    this.deliveries = deliveries;
  }

  boolean areDone() {
    return working == 0;
  }

  /** Makes so many writes, in bursts and quiet times. */
  void work(CounterPath counter, int writes) {
    working++;
    goOn(counter, writes);
  }

  private void goOn(CounterPath counter, int writes) {
    if (writes == 0) {
      working--;
      return;
    }
    Duration pause = faults.random.nextInt(4) == 0 ? Duration.ofSeconds(4) : Duration.ofMillis(300);
    world.time.after(
        faults.upTo(pause),
        () -> {
          writeSomething(counter);
          goOn(counter, writes - 1);
        });
  }

  private void writeSomething(CounterPath counter) {
    int shard = faults.random.nextInt(SHARDS);
    switch (faults.random.nextInt(20)) {
      case 0 -> commit(counter, shard, null);
      case 1 -> {
        for (int i = 0; i < SHARDS; i++) {
          commit(counter, i, null);
        }
      }
      case 2, 3, 4 -> commit(counter, shard, -1L);
      default -> commit(counter, shard, 1L);
    }
  }

  /** Replaces all shards by documents without the field. */
  void dropFields(CounterPath counter) {
    for (int shard : List.copyOf(world.database.shards(counter).keySet())) {
      Instant committed = world.database.put(counter, shard, Optional.empty());
      changed(counter, committed, Optional.of(committed));
    }
  }

  private void commit(CounterPath counter, int shard, @Nullable Long delta) {
    world.commit(counter, (committed, visible) -> apply(counter, shard, delta, committed, visible));
  }

  private void apply(
      CounterPath counter, int shard, @Nullable Long delta, Instant committed, Instant visible) {
    Map<Integer, Database.Shard> shards =
        world.database.shards.computeIfAbsent(counter, unused -> new TreeMap<>());
    if (delta == null) {
      if (shards.remove(shard) != null) {
        changed(counter, visible, Optional.empty());
      }
      return;
    }
    Database.Shard old = shards.get(shard);
    long count = old == null ? 0 : (Long) old.field().orElse(0L);
    shards.put(shard, new Database.Shard(new Total.Whole(Math.addExact(count, delta)), committed));
    changed(counter, visible, Optional.of(committed));
  }

  /** Sends the event of a shard's write. */
  private void changed(CounterPath counter, Instant visible, Optional<Instant> committed) {
    world.history.shardsChanged(counter, visible, 1);
    if (!Database.isPolled(counter)) {
      deliveries.publish(counter, committed);
    }
  }
}
