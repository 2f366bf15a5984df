package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Users: they create counters, increment and decrement shards, and delete them. */
final class Clients implements CounterServer.Listener {
  private static final int SHARDS = 3;

  private final VirtualTime time;
  private final Faults faults;
  private final Database database;
  private final Deliveries deliveries;
  private final History history;
  private final Commits commits;
  private int working;

  Clients(
      VirtualTime time,
      Faults faults,
      Database database,
      Deliveries deliveries,
      History history,
      Commits commits) {
    this.time = time;
    this.faults = faults;
    this.database = database;
    this.deliveries = deliveries;
    this.history = history;
    this.commits = commits;
  }

  boolean areDone() {
    return working == 0;
  }

  /** Makes so many writes, at a pace that changes between bursts and quiet times. */
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
    time.after(
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

  private void commit(CounterPath counter, int shard, @Nullable Long delta) {
    commits.commit(
        counter, (committed, visible) -> apply(counter, shard, delta, committed, visible));
  }

  private void apply(
      CounterPath counter, int shard, @Nullable Long delta, Instant committed, Instant visible) {
    Map<Integer, Database.Shard> shards =
        database.shards.computeIfAbsent(counter, unused -> new TreeMap<>());
    if (delta == null) {
      if (shards.remove(shard) != null) {
        changed(counter, visible, Optional.empty());
      }
      return;
    }
    Database.Shard old = shards.get(shard);
    Total count = old == null ? new Total.Whole(0) : old.count();
    Total increased = Numbers.increment(count, new Total.Whole(delta));
    shards.put(shard, new Database.Shard(increased, committed));
    changed(counter, visible, Optional.of(committed));
  }

  private void changed(CounterPath counter, Instant visible, Optional<Instant> committed) {
    shardsChanged(counter, visible);
    written(counter, committed);
  }

  @Override
  public void shardsChanged(CounterPath counter, Instant visible) {
    history.shardsChanged(counter, visible, database);
  }

  /** Sends the event of a shard's write. */
  @Override
  public void written(CounterPath counter, Optional<Instant> committed) {
    deliveries.publish(counter, committed);
  }
}
