package dev.tallyroll.simulation;

import com.google.cloud.firestore.Firestore;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.Write;
import dev.tallyroll.fold.FirestoreFolds;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Role;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldLayout.ShardPath;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The documents of an app and their shards on the server, read without the code that is tested.
 * After each commit, a document's fields and shards together must hold all that was counted, and
 * what is not to be moved must still be there.
 */
final class Folds {
  static final FoldLayout LAYOUT = new FoldLayout("fold", FoldLayout.documents("pages/{page}"));

  /** The reads of the functions, but for those of run documents. */
  private static final Call[] READS = {
    Call.READ, Call.DOCUMENT, Call.PAGE, Call.LIVE, Call.LIVE_SINCE
  };

  private static final String UPDATES = "_updates_";
  private static final String SHARDS = "/" + FoldLayout.SHARDS;

  private final World world;
  private final List<List<String>> wanted;
  private BiConsumer<ShardPath, Instant> onCreation = (shard, committed) -> {};

  /** The sums of the clients' increments, by document and field. */
  private final Map<String, Map<List<String>, BigDecimal>> counted = new HashMap<>();

  /** The values of the app's own fields; and those of shards that are no numbers, by shard. */
  private final Map<String, Map<List<String>, Object>> own = new HashMap<>();

  private final Map<String, Map<String, Map<List<String>, Object>>> bad = new HashMap<>();

  /** The values in each document, as queries see them. */
  private final Map<String, Map<List<String>, Object>> documents = new HashMap<>();

  /** The sums of the numbers in all shards of a document. */
  private final Map<String, Map<List<String>, BigDecimal>> inShards = new HashMap<>();

  /** The values in each shard that are no numbers. */
  private final Map<String, Map<String, Map<List<String>, Object>>> unmoved = new HashMap<>();

  private final Map<String, List<String>> full = new HashMap<>();

  /** When a shard got its first increment, or a batch with it was refused. */
  final Map<String, Instant> waiting = new HashMap<>();

  /** The longest time from then until it was in its document's field. */
  Duration maxLag = Duration.ZERO;

  private int billedBefore;

  /** The document that gets a number to start from. */
  private String starting = "";

  /**
   * @param wanted the fields that are moved; empty for all
   */
  Folds(World world, List<List<String>> wanted) {
    this.world = world;
    this.wanted = wanted;
    world.totals.checks = false;
    world.server.observe(this::committed);
    world.afterRefusal = this::refused;
  }

  /** The deployed store of an instance of RollUp. */
  FirestoreFolds store(World.Instance on) {
    return new FirestoreFolds(client(), LAYOUT, Role.ROLL_UP.calls(on));
  }

  /** The deployed store of an instance of OnShardCreated. */
  FirestoreFolds handlerStore(World.Instance on) {
    return new FirestoreFolds(client(), LAYOUT, Role.ON_SHARD_WRITTEN.calls(on));
  }

  private Firestore client() {
    return world.client(Functions.of(Layout.DEFAULT));
  }

  /** Sets the only listener, which gets each new shard, as the trigger does. */
  void onCreation(BiConsumer<ShardPath, Instant> listener) {
    onCreation = listener;
  }

  /** How many reads the functions were billed for since {@link #countReads}. */
  int reads() {
    return world.billed.of(READS) - billedBefore;
  }

  void countReads() {
    billedBefore = world.billed.of(READS);
  }

  static String path(String document, String shard) {
    return document + SHARDS + "/" + shard;
  }

  /** The document that a shard, or the document itself, belongs to. */
  private static Optional<String> owner(String path) {
    String collection = SimulatedServer.parent(path);
    if (collection.endsWith(SHARDS)) {
      return Optional.of(SimulatedServer.parent(collection));
    }
    return path.startsWith("rollup_runs/") ? Optional.empty() : Optional.of(path);
  }

  private static boolean isShard(String path) {
    return SimulatedServer.parent(path).endsWith(SHARDS);
  }

  private static boolean isPartial(String path) {
    return SimulatedServer.id(path).startsWith("\t");
  }

  private void committed(Commit commit) {
    Set<String> owners = new LinkedHashSet<>();
    commit.changes().forEach(each -> owner(each.path()).ifPresent(owners::add));
    if (owners.isEmpty()) {
      return;
    }
    world.history.note(() -> changes(commit));
    boolean alone = commit.changes().size() == 1;
    if (commit.by().isPresent()) {
      owners.forEach(Folds::checkNamed);
      commit.written().stream().filter(Folds::isShard).forEach(this::moved);
    }
    for (Changed each : commit.changes()) {
      Map<List<String>, Object> before = leaves(each.before());
      Map<List<String>, Object> after = leaves(each.after());
      if (commit.by().isEmpty()) {
        written(each, before, after, alone);
      }
      show(each.path(), before, after);
    }
    owners.forEach(this::check);
    for (Changed each : commit.changes()) {
      if (isShard(each.path()) && each.before().isEmpty()) {
        ShardPath shard =
            new ShardPath(owner(each.path()).orElseThrow(), SimulatedServer.id(each.path()));
        onCreation.accept(shard, commit.time());
      }
    }
  }

  private static String changes(Commit commit) {
    StringBuilder changes = new StringBuilder(commit.by().isPresent() ? "functions:" : "others:");
    commit
        .changes()
        .forEach(
            each ->
                changes
                    .append(' ')
                    .append(each.path())
                    .append("=")
                    .append(each.after().map(document -> shown(fields(document))).orElse("gone")));
    return changes.toString();
  }

  private static String shown(Object fields) {
    String text = fields.toString();
    return text.substring(0, Math.min(300, text.length()));
  }

  private static void checkNamed(String document) {
    if (!LAYOUT.holds(document)) {
      throw new AssertionError(document + ": expected no move into a document that nobody named");
    }
  }

  private void moved(String shard) {
    Instant since = waiting.remove(shard);
    Duration lag = Duration.between(since == null ? world.time.now() : since, world.time.now());
    maxLag = lag.compareTo(maxLag) > 0 ? lag : maxLag;
  }

  private void refused(CommitRequest request) {
    for (Write write : request.getWritesList()) {
      waiting.computeIfPresent(SimulatedServer.path(write), (shard, since) -> world.time.now());
    }
  }

  /** Notes what a client, or the app, has written; the extension moves, and counts nothing. */
  private void written(
      Changed each,
      Map<List<String>, Object> before,
      Map<List<String>, Object> after,
      boolean alone) {
    String path = each.path();
    if (isShard(path) && each.after().isEmpty()) {
      waiting.remove(path);
    } else if (isShard(path) && !isPartial(path)) {
      after.forEach((names, value) -> written(path, names, before.get(names), value));
    } else if (path.equals(starting)) {
      after.forEach(
          (names, value) ->
              add(counted.computeIfAbsent(path, none -> new HashMap<>()), names, value, +1));
    } else if (!isShard(path) && alone) {
      Map<List<String>, Object> fields = own.computeIfAbsent(path, none -> new HashMap<>());
      fields.keySet().retainAll(after.keySet());
      after.forEach(
          (names, value) -> {
            if (!isNumber(value) || (!isZero(value) && !value.equals(before.get(names)))) {
              fields.put(names, value);
            } else if (isZero(value)) {
              fields.remove(names);
            }
          });
    }
  }

  /** Keeps what queries find, so that a check needs not read all shards. */
  private void show(
      String path, Map<List<String>, Object> before, Map<List<String>, Object> after) {
    if (!isShard(path)) {
      documents.put(path, after);
      return;
    }
    String document = owner(path).orElseThrow();
    String id = SimulatedServer.id(path);
    Map<List<String>, BigDecimal> sums =
        inShards.computeIfAbsent(document, none -> new HashMap<>());
    before.forEach((names, value) -> add(sums, names, value, -1));
    after.forEach((names, value) -> add(sums, names, value, +1));
    Map<List<String>, Object> stays = new HashMap<>(after);
    stays.values().removeIf(Folds::isNumber);
    Map<String, Map<List<String>, Object>> shards =
        unmoved.computeIfAbsent(document, none -> new TreeMap<>());
    if (stays.isEmpty()) {
      shards.remove(id);
    } else {
      shards.put(id, stays);
    }
  }

  private static void add(
      Map<List<String>, BigDecimal> sums, List<String> names, Object value, int sign) {
    if (isNumber(value)) {
      BigDecimal number = exact(value);
      sums.merge(names, sign < 0 ? number.negate() : number, BigDecimal::add);
    }
  }

  private static BigDecimal exact(Object number) {
    return number instanceof Long whole
        ? BigDecimal.valueOf(whole)
        : new BigDecimal(((Number) number).doubleValue());
  }

  private void written(String shard, List<String> names, @Nullable Object before, Object after) {
    String document = owner(shard).orElseThrow();
    if (after.equals(before)) {
      return;
    }
    if (isNumber(after)) {
      BigDecimal old = before != null && isNumber(before) ? exact(before) : BigDecimal.ZERO;
      counted
          .computeIfAbsent(document, none -> new HashMap<>())
          .merge(names, exact(after).subtract(old), BigDecimal::add);
      if (isMovable(document, names)) {
        waiting.putIfAbsent(shard, world.time.now());
      }
    } else {
      bad.computeIfAbsent(document, none -> new TreeMap<>())
          .computeIfAbsent(SimulatedServer.id(shard), none -> new HashMap<>())
          .put(names, after);
    }
  }

  /** A client's write: {@code set(merge)} with increments. */
  void increment(String document, String shard, Map<List<String>, Number> deltas) {
    Map<String, Number> fields = new TreeMap<>();
    deltas.forEach((names, delta) -> fields.put(String.join(".", names), delta));
    world.commit(Writes.increment(path(document, shard), fields));
  }

  /** Writes a whole shard. */
  void put(String document, String shard, Map<String, ?> fields) {
    world.put(path(document, shard), fields);
  }

  /** The app writes a field. */
  void set(String document, String field, Object value) {
    Map<String, Object> fields = new TreeMap<>(fields(document));
    fields.put(field, value);
    world.put(document, fields);
  }

  /** A document whose field has this number before anybody counts. */
  void start(String document, String field, Number number) {
    starting = document;
    set(document, field, number);
    starting = "";
  }

  /** A sharded counter of the app: its clients write no other shards than these. */
  void addShardedCounter(String document) {
    set(document, "num_shards", 2L);
    increment(document, "0", Map.of(List.of("visits"), 1L));
    increment(document, "1", Map.of(List.of("visits"), 1L));
  }

  /** From now on, Firestore refuses a write of a field, as if the document was full. */
  void fill(String document, List<String> field) {
    full.put(document, field);
    world.server.fill(document, field);
  }

  private boolean hasNoRoom(String document, List<String> names) {
    return names.equals(full.get(document));
  }

  /** Puts a document on the live list. */
  void enter(String document) {
    Map<String, Object> fields = Map.of("document", document, "since", world.time.now());
    world.put(entry(document), fields);
  }

  static String entry(String document) {
    return LAYOUT.liveList() + "/" + LAYOUT.liveId(document);
  }

  /** The paths of the entries on the live list. */
  List<String> live() {
    return world.server.newest(LAYOUT.liveList()).stream()
        .map(SimulatedServer::path)
        .filter(Call::isEntry)
        .toList();
  }

  /** A document's fields; none if it is not there. */
  Map<String, Object> fields(String document) {
    return world.server.document(document).map(Folds::fields).orElse(Map.of());
  }

  private static Map<String, Object> fields(Document document) {
    return Protos.objects(document.getFieldsMap());
  }

  /** The fields of a document's shards, by their ids. */
  NavigableMap<String, Map<String, Object>> shards(String document) {
    NavigableMap<String, Map<String, Object>> shards = new TreeMap<>();
    world
        .server
        .newest(document + SHARDS)
        .forEach(shard -> shards.put(SimulatedServer.id(shard.getName()), fields(shard)));
    return shards;
  }

  /** The values of a document; a partial may hold several numbers of one field. */
  private static Map<List<String>, Object> leaves(Optional<Document> document) {
    Map<List<String>, Object> leaves = new HashMap<>();
    document.ifPresent(
        found -> each(fields(found), (names, value) -> leaves.merge(names, value, Folds::sum)));
    return leaves;
  }

  private static Object sum(Object one, Object other) {
    return one instanceof Long a && other instanceof Long b
        ? (Object) (a + b)
        : ((Number) one).doubleValue() + ((Number) other).doubleValue();
  }

  /** Gives each value of a shard, or of a partial of the extension, with the names on the way. */
  static void each(Map<?, ?> fields, BiConsumer<List<String>, Object> leaf) {
    if (fields.get(UPDATES) instanceof List<?> updates) {
      updates.forEach(update -> inner((Map<?, ?>) ((Map<?, ?>) update).get("_data_"), leaf));
    } else {
      inner(fields, leaf);
    }
  }

  private static void inner(@Nullable Map<?, ?> fields, BiConsumer<List<String>, Object> leaf) {
    if (fields == null) {
      return;
    }
    fields.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> map) {
            inner(
                map,
                (names, innerValue) ->
                    leaf.accept(
                        Stream.concat(Stream.of((String) name), names.stream()).toList(),
                        innerValue));
          } else {
            leaf.accept(List.of((String) name), value);
          }
        });
  }

  static boolean isNumber(@Nullable Object value) {
    return value instanceof Number number && Double.isFinite(number.doubleValue());
  }

  private static boolean isZero(Object value) {
    return value instanceof Number number && number.doubleValue() == 0;
  }

  /** Checks that nothing was lost, counted twice, or written that is nobody's. */
  private void check(String document) {
    Map<List<String>, BigDecimal> expected = counted.getOrDefault(document, Map.of());
    Map<List<String>, BigDecimal> left = new HashMap<>(expected);
    Map<List<String>, Object> others = new HashMap<>();
    documents
        .getOrDefault(document, Map.of())
        .forEach(
            (names, value) -> {
              if (isNumber(value) && expected.containsKey(names)) {
                add(left, names, value, -1);
              } else if (!isZero(value)) {
                others.put(names, value);
              }
            });
    require(document, "of its own", own.getOrDefault(document, Map.of()), others);
    require(
        document,
        "unmoved",
        bad.getOrDefault(document, Map.of()),
        unmoved.getOrDefault(document, Map.of()));
    inShards
        .getOrDefault(document, Map.of())
        .forEach((names, sum) -> left.merge(names, sum.negate(), BigDecimal::add));
    left.values().removeIf(sum -> sum.signum() == 0);
    require(document, "lost or counted twice", Map.of(), left);
  }

  private void require(String document, String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new AssertionError(
          "%s: expected %s %s; found %s\nfields %s\nshards %s"
              .formatted(
                  document,
                  what,
                  shown(expected),
                  shown(found),
                  shown(fields(document)),
                  shown(shards(document))));
    }
  }

  /** Checks that a document and its shards are as they were written. */
  void checkUntouched(String document, Map<String, Object> fields, int shards) {
    require(document, "of its own", fields, fields(document));
    require(document, "shards", shards, shards(document).size());
  }

  /** Checks that nothing that queries find is left in shards and can be moved. */
  void checkAllMoved(String document) {
    for (Document shard : world.server.list(document + SHARDS)) {
      Map<List<String>, Object> stays = new HashMap<>();
      each(fields(shard), stays::put);
      require(document, "left to move in shards", false, stays.isEmpty());
      if (stays.keySet().stream().anyMatch(names -> hasNoRoom(document, names))) {
        continue; // it stays whole
      }
      stays
          .entrySet()
          .removeIf(
              field ->
                  !isNumber(field.getValue())
                      || !isMovable(document, field.getKey())
                      || !hasRange(document, field.getKey(), field.getValue()));
      require(document, "left to move in shards", Map.of(), stays);
    }
  }

  /** Whether a document's field can hold a number more: exactly, and as Firestore adds it. */
  private boolean hasRange(String document, List<String> names, Object number) {
    Object there = documents.getOrDefault(document, Map.of()).getOrDefault(names, 0L);
    if (!isNumber(there)) {
      return true;
    }
    BigDecimal sum = exact(there).add(exact(number));
    boolean whole = there instanceof Long && number instanceof Long;
    return whole
        ? sum.toBigInteger().bitLength() < Long.SIZE
        : sum.abs().compareTo(BigDecimal.valueOf(1L << 53)) < 0;
  }

  private boolean isMovable(String document, List<String> names) {
    boolean blocked = own.getOrDefault(document, Map.of()).containsKey(names.subList(0, 1));
    return !blocked && (wanted.isEmpty() || wanted.contains(names));
  }
}
