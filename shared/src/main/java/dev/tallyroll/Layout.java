package dev.tallyroll;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where counters, shards, roll-ups and run documents are stored. The one place that knows.
 *
 * <p>No path that the functions write can be the path of a shard, because the four collection names
 * differ: so a roll-up never triggers another roll-up.
 *
 * @param counters collection of the counters
 * @param shards collection of shards, below each counter
 * @param rollups collection of the roll-ups, beside the counters
 * @param runs collection of the rollers' run documents, at the root
 * @param countField the field of a shard that clients increment
 */
public record Layout(
    String counters, String shards, String rollups, String runs, String countField) {

  /** The names that Google's page on distributed counters uses, and ours beside them. */
  public static final Layout DEFAULT =
      new Layout("counters", "shards", "rollups", "rollup_runs", "count");

  /**
   * @throws IllegalArgumentException if Firestore would refuse a name, or two collections share one
   */
  public Layout {
    Names.requireId("counters collection", counters);
    Names.requireId("shards collection", shards);
    Names.requireId("rollups collection", rollups);
    Names.requireId("runs collection", runs);
    Names.requireId("count field", countField);
    if (Set.copyOf(List.of(counters, shards, rollups, runs)).size() < 4) {
      throw new IllegalArgumentException(
          "collections: expected four different names; found "
              + List.of(counters, shards, rollups, runs));
    }
  }

  /** Path of the counter's own document. */
  public String counterDocument(CounterPath counter) {
    return counter.beside(counters + "/" + counter.id());
  }

  /** Path of the collection that holds the counter's shards. */
  public String shardsCollection(CounterPath counter) {
    return counterDocument(counter) + "/" + shards;
  }

  /** Path of the counter's roll-up document. */
  public String rollupDocument(CounterPath counter) {
    return counter.beside(rollups + "/" + counter.id());
  }

  /** Path of a worker's run document. */
  public String runDocument(int worker) {
    return runs + "/" + worker;
  }

  /** The counter that a shard's path belongs to; empty if it is not a shard's path. */
  public Optional<CounterPath> counterOfShard(String documentPath) {
    List<String> ids = Arrays.asList(documentPath.split("/", -1));
    int size = ids.size();
    return size >= 4 && ids.get(size - 2).equals(shards)
        ? counter(ids.subList(0, size - 2), counters)
        : Optional.empty();
  }

  /** The counter that a roll-up's path belongs to; empty if it is not a roll-up's path. */
  public Optional<CounterPath> counterOfRollup(String documentPath) {
    return counter(Arrays.asList(documentPath.split("/", -1)), rollups);
  }

  /** The counter of a counter document's path; empty if it is not one. */
  public Optional<CounterPath> counterOfDocument(String documentPath) {
    return counter(Arrays.asList(documentPath.split("/", -1)), counters);
  }

  private static Optional<CounterPath> counter(List<String> ids, String collection) {
    int size = ids.size();
    if (size < 2 || size % 2 != 0 || !ids.get(size - 2).equals(collection)) {
      return Optional.empty();
    }
    try {
      String parent = String.join("/", ids.subList(0, size - 2));
      return Optional.of(new CounterPath(parent, ids.get(size - 1)));
    } catch (IllegalArgumentException invalid) {
      return Optional.empty();
    }
  }
}
