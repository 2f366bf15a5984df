package dev.tallyroll.simulation;

import dev.tallyroll.fold.Shard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Firebase extension firestore-counter, which moves counts beside us, by its own moves. */
final class Extension {
  /** How many shards, of all documents together, its controller takes at once. */
  private static final int MOST = 200;

  private final World world;
  private final FoldDatabase folds;
  private final List<String> documents;
  private int updates;

  Extension(World world, FoldDatabase folds, List<String> documents) {
    this.world = world;
    this.folds = folds;
    this.documents = documents;
  }

  /** Makes so many moves. */
  void work(int moves) {
    if (moves > 0) {
      world.time.after(
          world.faults.upTo(Duration.ofSeconds(2)),
          () -> {
            String document = documents.get(world.faults.random.nextInt(documents.size()));
            switch (world.faults.random.nextInt(4)) {
              case 0 -> control();
              case 1 -> aggregate(document);
              default -> startWorker(document);
            }
            work(moves - 1);
          });
    }
  }

  /** One transaction reads shards and partials, deletes them and adds them to their documents. */
  private void control() {
    int left = MOST;
    for (String document : documents) {
      for (Shard shard : good(document).stream().limit(left).toList()) {
        left--;
        take(document, shard, +1).forEach((path, sum) -> folds.add(document, path, sum));
        folds.delete(document, shard.id());
      }
      folds.check(document);
    }
  }

  /** A transaction deletes shards and appends their sums to a partial. */
  private void aggregate(String document) {
    String partial = "\t" + world.faults.random.nextInt(2);
    for (Shard shard : good(document).stream().filter(it -> !isPartial(it)).limit(5).toList()) {
      append(document, partial, take(document, shard, +1));
      folds.delete(document, shard.id());
    }
    folds.check(document);
  }

  /** A worker goes by an old snapshot. */
  private void startWorker(String document) {
    List<Shard> snapshot = good(document);
    world.time.after(world.faults.upTo(Duration.ofSeconds(2)), () -> work(document, snapshot));
  }

  /**
   * A transaction reads its shards again, but not the partials: these get what was taken from them
   * as an update with negative numbers, whether they are still there or not.
   */
  private void work(String document, List<Shard> snapshot) {
    for (Shard old : snapshot) {
      if (isPartial(old)) {
        take(document, old, +1).forEach((path, sum) -> folds.add(document, path, sum));
        append(document, old.id(), take(document, old, -1));
      } else {
        folds
            .shard(document, old.id())
            .ifPresent(
                now -> {
                  take(document, now, +1).forEach((path, sum) -> folds.add(document, path, sum));
                  folds.delete(document, now.id());
                });
      }
    }
    folds.check(document);
  }

  private void append(String document, String partial, Map<List<String>, Number> numbers) {
    List<Object> all = new ArrayList<>();
    folds
        .shard(document, partial)
        .ifPresent(it -> all.addAll((List<?>) it.fields().get("_updates_")));
    Map<String, Object> data = Map.of();
    for (var each : numbers.entrySet()) {
      data = FoldDatabase.with(data, each.getKey(), old -> each.getValue());
    }
    all.add(Map.of("_id_", "update-" + updates++, "_data_", data));
    folds.put(document, partial, Map.of("_updates_", List.copyOf(all)));
  }

  /** It knows of numbers only. */
  private List<Shard> good(String document) {
    return folds.shards(document).values().stream()
        .filter(
            shard -> {
              boolean[] good = {true};
              FoldDatabase.each(shard, (path, value) -> good[0] &= FoldDatabase.isNumber(value));
              return good[0];
            })
        .toList();
  }

  private static boolean isPartial(Shard shard) {
    return shard.id().startsWith("\t");
  }

  private Map<List<String>, Number> take(String document, Shard shard, int sign) {
    world.history.note(() -> "extension: takes " + sign + " * " + shard + " of " + document);
    Map<List<String>, Number> sums = new HashMap<>();
    FoldDatabase.each(
        shard,
        (path, value) ->
            sums.merge(
                path,
                value instanceof Long whole
                    ? (Number) (sign * whole)
                    : (Number) (sign * ((Number) value).doubleValue()),
                (a, b) ->
                    a instanceof Long one && b instanceof Long other
                        ? (Number) (one + other)
                        : (Number) (a.doubleValue() + b.doubleValue())));
    return sums;
  }
}
