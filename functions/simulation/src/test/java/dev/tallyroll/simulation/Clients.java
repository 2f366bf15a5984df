package dev.tallyroll.simulation;

import com.google.firestore.v1.Write;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Users, who create counters, increment and decrement shards, and delete them. */
final class Clients {
  private static final int SHARDS = 3;

  private final World world;
  private final Faults faults;
  private int working;

  Clients(World world) {
    this.world = world;
    this.faults = world.faults;
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
    for (int shard : world.totals.shards(counter).keySet()) {
      world.put(counter, shard, Optional.empty());
    }
  }

  /** Writes a shard, and the counter's own document if need be; or deletes it. */
  private void commit(CounterPath counter, int shard, @Nullable Long delta) {
    String own = ServerTotals.layoutOf(counter).counterDocument(counter);
    String path = ServerTotals.shard(counter, shard);
    List<Write> writes = new ArrayList<>();
    if (delta != null) {
      writes.add(Writes.increment(path, Map.of("count", delta)));
      if (world.server.document(own).isEmpty() && !leavesDocuments(counter)) {
        writes.add(Writes.set(own, Map.of()));
      }
    } else if (world.server.document(path).isPresent()) {
      writes.add(Writes.delete(path));
      if (ServerTotals.isPolled(counter)
          && world.server.newest(ServerTotals.shardsOf(counter)).size() == 1) {
        writes.add(Writes.delete(own));
      }
    }
    if (!writes.isEmpty()) {
      world.commit(writes.toArray(Write[]::new));
    }
  }

  /** Whether the world itself decides which counters have documents. */
  private boolean leavesDocuments(CounterPath counter) {
    return world.totals.showsFields && ServerTotals.layoutOf(counter).equals(Layout.DEFAULT);
  }
}
