package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Checks each roll-up as it is written: its total is exact at its time, and that time only rises.
 */
final class History {
  private static final int KEPT_LINES = 400;

  /** What queries saw of a counter's shards, by when they began to. */
  private record Seen(Total total, long shards) {}

  private final VirtualTime time;
  private final Map<CounterPath, TreeMap<Instant, Seen>> seen = new HashMap<>();
  private final Map<CounterPath, Instant> asOf = new HashMap<>();
  private final List<String> lines = new ArrayList<>();

  History(VirtualTime time) {
    this.time = time;
  }

  void note(String line) {
    if (lines.size() < KEPT_LINES) {
      lines.add(time.now() + " " + line);
    }
  }

  String lines() {
    return String.join("\n", lines);
  }

  void shardsChanged(CounterPath counter, Instant from, Database database) {
    List<Total> counts =
        database.shards.getOrDefault(counter, Map.of()).values().stream()
            .map(Database.Shard::count)
            .toList();
    Seen now = new Seen(Database.add(counts), counts.size());
    seen.computeIfAbsent(counter, unused -> new TreeMap<>()).put(from, now);
    note("shards of " + counter + ": " + now);
  }

  void rollupChanged(CounterPath counter, Optional<Rollup> rollup) {
    note("roll-up of " + counter + ": " + rollup.map(Rollup::toString).orElse("deleted"));
    if (rollup.isEmpty()) {
      asOf.remove(counter);
      return;
    }
    Rollup written = rollup.get();
    Instant before = asOf.put(counter, written.asOf());
    if (before != null && written.asOf().isBefore(before)) {
      throw new AssertionError(counter + ": as_of went back from " + before + " to " + written);
    }
    Map.Entry<Instant, Seen> exact =
        seen.getOrDefault(counter, new TreeMap<>()).floorEntry(written.asOf());
    Seen claimed = new Seen(written.total(), written.shards());
    if (exact == null || !exact.getValue().equals(claimed)) {
      throw new AssertionError(counter + ": says " + claimed + ", but exact is " + exact);
    }
  }
}
