package dev.tallyroll.simulation;

import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.fold.FoldLayout.ShardPath;
import dev.tallyroll.fold.FoldStore;
import dev.tallyroll.fold.FoldStore.Entry;
import dev.tallyroll.fold.FoldStore.Named;
import dev.tallyroll.fold.FoldStore.Outcome;
import dev.tallyroll.fold.FoldStore.Page;
import dev.tallyroll.fold.FoldStore.SweptPage;
import dev.tallyroll.fold.Plan;
import dev.tallyroll.fold.Shard;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The documents of an app, their shards, and their live list, on the server's side. Each call takes
 * effect at one moment. After each commit, a document's fields and shards together must hold all
 * that was counted, and what is not to be moved must still be there.
 */
final class FoldDatabase {
  static final FoldLayout LAYOUT =
      new FoldLayout(
          FoldLayout.EXTENSION, "rollup_runs", FoldLayout.documents("pages/{page}", Set.of()));
  private static final String UPDATES = "_updates_";

  private final World world;
  private final List<List<String>> wanted;
  private final Map<String, Map<String, Object>> documents = new TreeMap<>();
  private final Map<String, NavigableMap<String, Shard>> shards = new TreeMap<>();
  final NavigableMap<String, Entry> live = new TreeMap<>();
  private BiConsumer<ShardPath, Instant> onCreation = (shard, committed) -> {};

  /** What clients have counted. */
  private final Map<String, Map<List<String>, Double>> counted = new HashMap<>();

  /** The values of the app's own fields; and those of shards that are no numbers, by shard. */
  private final Map<String, Map<List<String>, Object>> own = new HashMap<>();

  private final Map<String, Map<String, Map<List<String>, Object>>> bad = new HashMap<>();

  private final Map<String, Set<List<String>>> full = new HashMap<>();

  /** When a shard got its first increment, or a batch with it was refused. */
  final Map<String, Instant> waiting = new HashMap<>();

  /** Billed so far. */
  long reads;

  /** The longest time from then until it was in its document's field. */
  Duration maxLag = Duration.ZERO;

  /**
   * @param wanted the fields that are moved; empty for all
   */
  FoldDatabase(World world, List<List<String>> wanted) {
    this.world = world;
    this.wanted = wanted;
  }

  /** Sets the only listener, which gets each new shard, as the trigger does. */
  void onCreation(BiConsumer<ShardPath, Instant> listener) {
    onCreation = listener;
  }

  Page read(String document, String after, int limit) {
    List<Shard> found =
        shards(document).tailMap(after, after.isEmpty()).values().stream().limit(limit).toList();
    reads += Math.max(1, found.size());
    boolean few = limit <= FoldStore.FEW_SHARDS;
    int taken = few ? found.size() : cut(found.size());
    Optional<Instant> readTime = Optional.of(world.database.tick()).filter(it -> few);
    return new Page(
        found.subList(0, taken),
        found.size() < limit && taken == found.size(),
        taken < found.size(),
        readTime);
  }

  /** Some shards are large, at times. */
  private int cut(int found) {
    return found > 1 && world.faults.happens(Kind.LARGE_SHARDS, 0.1)
        ? 1 + world.faults.random.nextInt(found - 1)
        : found;
  }

  Named read(String document, List<String> ids) {
    List<Shard> found = ids.stream().flatMap(id -> shard(document, id).stream()).toList();
    reads += ids.size();
    int taken = cut(found.size());
    return new Named(found.subList(0, taken), found.stream().skip(taken).map(Shard::id).toList());
  }

  NavigableMap<String, Shard> shards(String document) {
    return shards.computeIfAbsent(document, it -> new TreeMap<>());
  }

  /** All fields, as a mask of fields leaves none out that was asked for. */
  Map<String, Object> fields(String document) {
    return documents.getOrDefault(document, Map.of());
  }

  Outcome move(String document, Plan plan) {
    if (!LAYOUT.holds(document)) {
      throw new AssertionError(document + ": expected no move into a document that nobody named");
    }
    for (Shard.Change change : plan.changes()) {
      Shard there = shards(document).get(change.shard().id());
      if (there == null || !there.version().equals(change.shard().version())) {
        plan.changes().forEach(it -> refused(document + "/" + it.shard().id()));
        return Outcome.REFUSED;
      }
    }
    if (plan.sums().keySet().stream().anyMatch(path -> hasNoRoom(document, path))) {
      return Outcome.IMPOSSIBLE;
    }
    world.history.note(() -> document + ": moves " + plan.sums() + " by " + plan.changes());
    plan.sums().forEach((path, sum) -> add(document, path, sum));
    for (Shard.Change change : plan.changes()) {
      String id = change.shard().id();
      Instant since = waiting.remove(document + "/" + id);
      Duration lag = Duration.between(since == null ? world.time.now() : since, world.time.now());
      maxLag = lag.compareTo(maxLag) > 0 ? lag : maxLag;
      if (change.fields().isEmpty()) {
        delete(document, id);
      } else {
        Map<String, Object> fields = shard(document, id).orElseThrow().fields();
        for (var each : change.fields().entrySet()) {
          fields = with(fields, each.getKey(), old -> each.getValue().orElse(null));
        }
        put(document, id, fields);
      }
    }
    check(document);
    return Outcome.DONE;
  }

  private void refused(String shard) {
    waiting.computeIfPresent(shard, (its, since) -> world.time.now());
  }

  void delete(String document, String id) {
    shards(document).remove(id);
    waiting.remove(document + "/" + id);
  }

  void add(String document, List<String> path, Number delta) {
    documents.put(document, with(fields(document), path, old -> sum(old, delta)));
  }

  void put(String document, String id, Map<String, Object> fields) {
    Instant now = world.database.tick();
    Shard before = shards(document).put(id, new Shard(id, now, fields));
    if (before == null) {
      onCreation.accept(new ShardPath(document, id), now);
    }
  }

  /** A client's write: {@code set(merge)} with increments. */
  void increment(String document, String id, Map<List<String>, Number> deltas) {
    Shard old = shards(document).get(id);
    Map<String, Object> fields = old == null ? Map.of() : old.fields();
    for (var each : deltas.entrySet()) {
      fields = with(fields, each.getKey(), value -> sum(value, each.getValue()));
      count(document, each.getKey(), each.getValue());
    }
    if (deltas.keySet().stream().anyMatch(path -> isMovable(document, path))) {
      waiting.putIfAbsent(document + "/" + id, world.time.now());
    }
    world.history.note(() -> document + "/" + id + ": " + deltas);
    put(document, id, fields);
  }

  /** Puts a shard with values that are no numbers among others. */
  void putBad(String document, String id, Map<String, Object> fields) {
    Map<List<String>, Object> leaves = new HashMap<>();
    each(fields, (path, value) -> leaves.put(path, value));
    leaves.forEach(
        (path, value) -> {
          if (isNumber(value)) {
            count(document, path, (Number) value);
          } else {
            bad.computeIfAbsent(document, it -> new TreeMap<>())
                .computeIfAbsent(id, it -> new HashMap<>())
                .put(path, value);
          }
        });
    put(document, id, fields);
    check(document);
  }

  private void count(String document, List<String> path, Number delta) {
    counted
        .computeIfAbsent(document, it -> new HashMap<>())
        .merge(path, delta.doubleValue(), Double::sum);
  }

  /** The app writes a field. */
  void set(String document, String field, Object value) {
    documents.put(document, with(fields(document), List.of(field), old -> value));
    Map<List<String>, Object> its = own.computeIfAbsent(document, it -> new HashMap<>());
    if (value instanceof String) {
      its.put(List.of(field), value);
    } else {
      its.remove(List.of(field));
    }
    check(document);
  }

  /** A sharded counter of the app: its clients write no other shards than these. */
  void addShardedCounter(String document) {
    List<String> field = List.of("num_shards");
    documents.put(document, with(fields(document), field, none -> 2L));
    own.computeIfAbsent(document, it -> new HashMap<>()).put(field, 2L);
    increment(document, "0", Map.of(List.of("visits"), 1L));
    increment(document, "1", Map.of(List.of("visits"), 1L));
  }

  /** From now on, Firestore refuses a write of a field, as if the document was full. */
  void fill(String document, List<String> field) {
    full.computeIfAbsent(document, it -> new HashSet<>()).add(field);
  }

  private boolean hasNoRoom(String document, List<String> path) {
    return full.getOrDefault(document, Set.of()).contains(path);
  }

  void enter(String document) {
    world.history.note(() -> document + ": enters the live list");
    live.put(LAYOUT.liveId(document), new Entry(document, world.database.tick()));
  }

  void remove(Entry entry) {
    boolean removed = live.remove(LAYOUT.liveId(entry.document()), entry);
    world.history.note(() -> entry + (removed ? ": removed" : ": not there any more"));
  }

  SweptPage page(String start, String after, int limit) {
    List<ShardPath> found =
        shards.keySet().stream()
            .flatMap(it -> shards(it).keySet().stream().map(id -> new ShardPath(it, id)))
            .filter(it -> path(it).startsWith(start + "/") && path(it).compareTo(after) > 0)
            .sorted(Comparator.comparing(FoldDatabase::path))
            .limit(limit)
            .toList();
    reads += Math.max(1, found.size());
    int taken = cut(found.size());
    Map<String, List<Shard>> page = new LinkedHashMap<>();
    for (ShardPath each : found.subList(0, taken)) {
      page.computeIfAbsent(each.document(), it -> new ArrayList<>())
          .add(shard(each.document(), each.id()).orElseThrow());
    }
    boolean more = found.size() == limit || taken < found.size();
    return new SweptPage(page, taken, more ? path(found.get(taken - 1)) : "", taken < found.size());
  }

  private static String path(ShardPath shard) {
    return LAYOUT.shardsCollection(shard.document()) + "/" + shard.id();
  }

  /** What a shard or a partial of the extension holds, by the names on the way to it. */
  static void each(Shard shard, BiConsumer<List<String>, Object> leaf) {
    if (shard.fields().get(UPDATES) instanceof List<?> updates) {
      updates.forEach(it -> each((Map<?, ?>) ((Map<?, ?>) it).get("_data_"), leaf));
    } else {
      each(shard.fields(), leaf);
    }
  }

  private static void each(@Nullable Map<?, ?> fields, BiConsumer<List<String>, Object> leaf) {
    if (fields == null) {
      return;
    }
    fields.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> inner) {
            each(
                inner,
                (path, it) -> {
                  List<String> longer = new ArrayList<>(List.of((String) name));
                  longer.addAll(path);
                  leaf.accept(longer, it);
                });
          } else {
            leaf.accept(List.of((String) name), value);
          }
        });
  }

  static boolean isNumber(Object value) {
    return value instanceof Number number && Double.isFinite(number.doubleValue());
  }

  /** The fields with one changed: others share what they hold. */
  static Map<String, Object> with(
      Map<?, ?> fields, List<String> path, UnaryOperator<@Nullable Object> change) {
    Map<String, Object> changed = new TreeMap<>();
    fields.forEach((name, value) -> changed.put((String) name, value));
    String name = path.get(0);
    Object old = changed.get(name);
    Object value =
        path.size() == 1
            ? change.apply(old)
            : with(
                old instanceof Map<?, ?> inner ? inner : Map.of(),
                path.subList(1, path.size()),
                change);
    if (value == null) {
      changed.remove(name);
    } else {
      changed.put(name, value);
    }
    return changed;
  }

  private static Object sum(@Nullable Object old, Number delta) {
    if (!(old instanceof Number number)) {
      return delta;
    }
    return number instanceof Long a && delta instanceof Long b
        ? (Object) (a + b)
        : (Object) (number.doubleValue() + delta.doubleValue());
  }

  /** Checks that nothing was lost, counted twice, or written that is nobody's. */
  void check(String document) {
    Map<List<String>, Double> expected = counted.getOrDefault(document, Map.of());
    Map<List<String>, Double> left = new HashMap<>(expected);
    Map<List<String>, Object> others = new HashMap<>();
    each(
        fields(document),
        (path, value) -> {
          if (isNumber(value) && expected.containsKey(path)) {
            left.merge(path, -((Number) value).doubleValue(), Double::sum);
          } else if (!isNumber(value) || ((Number) value).doubleValue() != 0) {
            others.put(path, value);
          }
        });
    require(document, "of its own", own.getOrDefault(document, Map.of()), others);
    Map<String, Map<List<String>, Object>> unmoved = new TreeMap<>();
    shards(document)
        .values()
        .forEach(
            shard ->
                each(
                    shard,
                    (path, value) -> {
                      if (isNumber(value)) {
                        left.merge(path, -((Number) value).doubleValue(), Double::sum);
                      } else {
                        unmoved.computeIfAbsent(shard.id(), it -> new HashMap<>()).put(path, value);
                      }
                    }));
    require(document, "unmoved", bad.getOrDefault(document, Map.of()), unmoved);
    left.values().removeIf(it -> it == 0);
    require(document, "lost or counted twice", Map.of(), left);
  }

  private void require(String document, String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new AssertionError(
          "%s: expected %s %s; found %s\nfields %s\nshards %s"
              .formatted(
                  document, what, expected, found, fields(document), shards(document).values()));
    }
  }

  /** Checks that a document and its shards are as they were written. */
  void checkUntouched(String document, Map<String, Object> fields, int shards) {
    require(document, "of its own", fields, fields(document));
    require(document, "shards", shards, shards(document).size());
  }

  /** Checks that nothing is left in shards that can be moved. */
  void checkAllMoved(String document) {
    for (Shard shard : shards(document).values()) {
      Map<List<String>, Object> stays = new HashMap<>();
      each(shard, stays::put);
      require(document, "left to move in shards", false, stays.isEmpty());
      if (stays.keySet().stream().anyMatch(path -> hasNoRoom(document, path))) {
        continue; // it stays whole
      }
      stays
          .entrySet()
          .removeIf(it -> !isNumber(it.getValue()) || !isMovable(document, it.getKey()));
      require(document, "left to move in shards", Map.of(), stays);
    }
  }

  private boolean isMovable(String document, List<String> path) {
    boolean blocked = own.getOrDefault(document, Map.of()).containsKey(path.subList(0, 1));
    return !blocked && (wanted.isEmpty() || wanted.contains(path));
  }

  Optional<Shard> shard(String document, String id) {
    return Optional.ofNullable(shards(document).get(id));
  }
}
