package dev.tallyroll.simulation;

import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The Firebase extension firestore-counter, which moves counts beside us, by its own moves. */
final class Extension {
  /** How many shards its controller takes at once, of all documents together, and a worker. */
  private static final int MOST = 200;

  private final World world;
  private final Folds folds;
  private final List<String> documents;
  private int updates;

  Extension(World world, Folds folds, List<String> documents) {
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

  /** A shard as it was read. */
  private record Shard(String id, Map<String, Object> fields) {
    boolean isPartial() {
      return id.startsWith("\t");
    }
  }

  /** A transaction: it collects writes about one document, and commits them together. */
  private final class Transaction {
    private final String document;
    private final Map<List<String>, Number> sums = new HashMap<>();
    private final List<Write> deletes = new ArrayList<>();
    private final Map<String, List<Object>> partials = new TreeMap<>();

    Transaction(String document) {
      this.document = document;
    }

    /** Moves what a shard holds into the document. */
    void add(Shard shard) {
      take(document, shard, +1).forEach((names, sum) -> sums.merge(names, sum, Extension::sum));
    }

    void delete(Shard shard) {
      deletes.add(Writes.delete(Folds.path(document, shard.id())));
    }

    void append(String partial, Map<List<String>, Number> numbers) {
      Map<String, Value> data = new TreeMap<>();
      numbers.forEach((names, number) -> Protos.put(data, names, Protos.value(number)));
      partials
          .computeIfAbsent(partial, this::updates)
          .add(Map.of("_id_", "update-" + updates++, "_data_", Protos.objects(data)));
    }

    private List<Object> updates(String partial) {
      Map<String, Object> fields = folds.shards(document).getOrDefault(partial, Map.of());
      return new ArrayList<>((List<?>) fields.getOrDefault("_updates_", List.of()));
    }

    void commit() {
      List<Write> writes = new ArrayList<>(deletes);
      partials.forEach(
          (id, all) -> writes.add(Writes.set(Folds.path(document, id), Map.of("_updates_", all))));
      Map<String, Number> fields = new TreeMap<>();
      sums.forEach((names, sum) -> fields.put(String.join(".", names), sum));
      if (!fields.isEmpty()) {
        writes.add(Writes.increment(document, fields));
      }
      if (!writes.isEmpty()) {
        world.commit(writes.toArray(Write[]::new));
      }
    }
  }

  /** One transaction reads shards and partials, deletes them and adds them to their documents. */
  private void control() {
    int left = MOST;
    for (String document : documents) {
      Transaction transaction = new Transaction(document);
      for (Shard shard : good(document).stream().limit(left).toList()) {
        left--;
        transaction.add(shard);
        transaction.delete(shard);
      }
      transaction.commit();
    }
  }

  /** A transaction deletes shards and appends their sums to a partial. */
  private void aggregate(String document) {
    String partial = "\t" + world.faults.random.nextInt(2);
    Transaction transaction = new Transaction(document);
    for (Shard shard :
        good(document).stream().filter(shard -> !shard.isPartial()).limit(5).toList()) {
      transaction.append(partial, take(document, shard, +1));
      transaction.delete(shard);
    }
    transaction.commit();
  }

  /** A worker goes by an old snapshot. */
  private void startWorker(String document) {
    List<Shard> snapshot = good(document).stream().limit(MOST).toList();
    world.time.after(world.faults.upTo(Duration.ofSeconds(2)), () -> work(document, snapshot));
  }

  /**
   * A transaction reads its shards again, but not the partials: these get what was taken from them
   * as an update with negative numbers, whether they are still there or not.
   */
  private void work(String document, List<Shard> snapshot) {
    Transaction transaction = new Transaction(document);
    Map<String, Map<String, Object>> now = folds.shards(document);
    for (Shard old : snapshot) {
      if (old.isPartial()) {
        transaction.add(old);
        transaction.append(old.id(), take(document, old, -1));
      } else if (now.containsKey(old.id())) {
        Shard newest = new Shard(old.id(), now.get(old.id()));
        transaction.add(newest);
        transaction.delete(newest);
      }
    }
    transaction.commit();
  }

  /** The shards that hold numbers: the extension knows no others. */
  private List<Shard> good(String document) {
    return folds.shards(document).entrySet().stream()
        .map(each -> new Shard(each.getKey(), each.getValue()))
        .filter(
            shard -> {
              boolean[] good = {true};
              Folds.each(shard.fields(), (path, value) -> good[0] &= Folds.isNumber(value));
              return good[0];
            })
        .toList();
  }

  private Map<List<String>, Number> take(String document, Shard shard, int sign) {
    world.history.note(() -> "extension: takes " + sign + " * " + shard + " of " + document);
    Map<List<String>, Number> sums = new HashMap<>();
    Folds.each(
        shard.fields(),
        (path, value) ->
            sums.merge(
                path,
                value instanceof Long whole
                    ? (Number) (sign * whole)
                    : (Number) (sign * ((Number) value).doubleValue()),
                Extension::sum));
    return sums;
  }

  private static Number sum(Number one, Number other) {
    return one instanceof Long a && other instanceof Long b
        ? (Number) (a + b)
        : (Number) (one.doubleValue() + other.doubleValue());
  }
}
