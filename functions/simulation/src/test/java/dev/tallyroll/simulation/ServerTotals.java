package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What counters, roll-ups and live lists on the server say, read without the code that is tested.
 * Checks each commit of functions: they write only what is theirs, and remove a total only if its
 * counter is gone.
 */
final class ServerTotals {
  /** The layout of a second deployment, which shares the roll-ups' collection with the first. */
  static final Layout POLLS = new Layout("{parent=**}/polls/{poll}/shards", "rollups", "count");

  /** The layout of counters that no trigger watches. */
  static final Layout POLLED =
      new Layout("polled_counters/{polled_counter}/shards", "rollups", "count");

  static final List<Layout> LAYOUTS = List.of(Layout.DEFAULT, POLLS, POLLED);

  private static final String OF_OTHERS = "a document of others";
  private final VirtualTime time;
  private final SimulatedServer server;

  /** Since when a counter has shards; it is not there without any. */
  private final Map<CounterPath, Instant> filledSince = new HashMap<>();

  /** The counters that have had shards. */
  final Set<CounterPath> seen = new HashSet<>();

  private BiConsumer<CounterPath, Optional<Rollup>> onRollup = (counter, rollup) -> {};
  private BiConsumer<CounterPath, Commit> onShards = (counter, commit) -> {};

  /** The situations that have happened. */
  Set<Branch> branches = EnumSet.noneOf(Branch.class);

  /** Whether functions write nothing but totals. */
  boolean checks = true;

  long rollupWrites;

  /** How often a roll-up was created, or a counter made live. */
  int begins;

  /** How often a roll-up was created without its counter being made live. */
  int created;

  ServerTotals(VirtualTime time, SimulatedServer server) {
    this.time = time;
    this.server = server;
    server.observe(this::committed);
  }

  /** Whether figures are shown in the counters' own documents, too: those are 0 for no shard. */
  boolean showsFields;

  /** Since when the own documents are there, by their paths. */
  private final Map<String, Instant> ownSince = new HashMap<>();

  /** Sets the only listener, which gets each roll-up that is written or removed. */
  void onRollup(BiConsumer<CounterPath, Optional<Rollup>> listener) {
    onRollup = listener;
  }

  /** Sets the only listener, which gets each commit that has changed shards of a counter. */
  void onShards(BiConsumer<CounterPath, Commit> listener) {
    onShards = listener;
  }

  /** The layout of a counter, by its name: p for the second deployment's, q for polled ones. */
  static Layout layoutOf(CounterPath counter) {
    return switch (counter.id().charAt(0)) {
      case 'p' -> POLLS;
      case 'q' -> POLLED;
      default -> Layout.DEFAULT;
    };
  }

  /** The name of the deployment that has a layout. */
  static String deploymentOf(Layout layout) {
    if (layout.shards().equals("ratings")) {
      return "tally-ratings";
    }
    return layout.equals(POLLS)
        ? "tally-polls"
        : layout.equals(POLLED) ? "tally-polled" : Layout.DEPLOYMENT;
  }

  /** The name of the entry of a layout. */
  static String nameOf(Layout layout) {
    if (!layout.where().all().isEmpty()) {
      return layout.rollups().substring(layout.rollups().lastIndexOf('_') + 1);
    }
    String counters = layout.countersCollection();
    return counters.equals("posts") ? layout.shards() : counters;
  }

  /** An entry of functions that sum by queries. */
  static Entry entry(
      Layout layout, Map<Figure, FieldName> fields, boolean hasEvents, Timing timing) {
    return new Entry(nameOf(layout), layout, fields, SumMode.AGGREGATE, hasEvents, timing);
  }

  static boolean isPolled(CounterPath counter) {
    return layoutOf(counter).equals(POLLED);
  }

  /** The live list for a counter. */
  static String liveList(CounterPath counter) {
    return Layout.liveList(deploymentOf(layoutOf(counter)));
  }

  /** The path of a counter's own document. */
  private static String documentOf(CounterPath counter) {
    return layoutOf(counter).counterDocument(counter);
  }

  /** The mark that functions with a layout write into the roll-up of a counter. */
  static Map<String, String> mark(Layout by, CounterPath counter) {
    String owners = by.owners();
    String pattern =
        owners.isEmpty()
            ? by.shards()
            : owners.replace("{parent=**}", "{**}") + "/{1}/" + by.shards();
    String summed = by.countField().isEmpty() ? "number of " : "sum of " + by.countField() + " in ";
    String whose = by.isBelow() ? "" : " for " + by.counters() + "/{1}";
    Map<String, String> conditions = new TreeMap<>();
    by.where()
        .all()
        .forEach(
            (field, value) ->
                conditions.put(
                    field.toString(),
                    value
                        .map(it -> it instanceof String ? '"' + it.toString() + '"' : it + "")
                        .orElse("null")));
    by.documentFields().values().forEach(field -> conditions.put(field.toString(), "{1}"));
    String where =
        conditions.isEmpty()
            ? ""
            : " where "
                + conditions.entrySet().stream()
                    .map(each -> each.getKey() + " = " + each.getValue())
                    .collect(Collectors.joining(" and "));
    return Map.of(
        "counter", by.counterDocument(counter), "total_of", summed + pattern + where + whose);
  }

  /** The fields of a counter's entry in its live list. */
  static Map<String, Object> entry(CounterPath counter, Instant since) {
    Map<String, Object> fields = new HashMap<>(mark(layoutOf(counter), counter));
    fields.put("since", since);
    return fields;
  }

  /** Whether a document says of itself that it is the roll-up of a counter. */
  static boolean isMarked(Document document, Layout by, CounterPath counter) {
    return mark(by, counter).entrySet().stream()
        .allMatch(
            half ->
                Protos.value(half.getValue()).equals(document.getFieldsMap().get(half.getKey())));
  }

  /** The path of a counter's shard. */
  static String shard(CounterPath counter, int shard) {
    return shardsOf(counter) + "/" + shard;
  }

  /**
   * Whether figures are shown in a document that has not been there all the time since a change: no
   * roll-up was made then, and the next change makes it.
   */
  boolean waitedForItsDocument(CounterPath counter, Instant changed) {
    return showsFields && ownSince.getOrDefault(documentOf(counter), Instant.MAX).isAfter(changed);
  }

  /** The path of the collection of a counter's shards. */
  static String shardsOf(CounterPath counter) {
    return documentOf(counter) + "/shards";
  }

  /** The counter of a shard's path; empty for all else, and for numeric ids, which none has. */
  private static Optional<CounterPath> counterOfShard(String path) {
    String[] ids = path.split("/", -1);
    return ids.length == 4 && ids[2].equals("shards") && !ids[1].startsWith("__id")
        ? Optional.of(CounterPath.of(ids[1]))
        : Optional.empty();
  }

  private static String rollupDocument(CounterPath counter) {
    return "rollups/" + counter.id();
  }

  private void committed(Commit commit) {
    for (Changed each : commit.changes()) {
      if (!AppDocuments.isOwn(each.path())) {
        continue;
      }
      if (each.after().isEmpty()) {
        ownSince.remove(each.path());
      } else {
        ownSince.putIfAbsent(each.path(), time.now());
      }
    }
    Set<CounterPath> counters = new LinkedHashSet<>();
    commit.changes().forEach(each -> counterOfShard(each.path()).ifPresent(counters::add));
    for (CounterPath counter : counters) {
      if (shards(counter).isEmpty()) {
        filledSince.remove(counter);
      } else {
        filledSince.putIfAbsent(counter, time.now());
      }
      seen.add(counter);
      onShards.accept(counter, commit);
    }
    if (commit.by().isPresent() && checks) {
      boolean isListed = commit.written().stream().anyMatch(Call::isEntry);
      commit.changes().forEach(each -> check(commit.by().get().only(), each, isListed));
    } else {
      commit.changes().stream()
          .filter(each -> Call.isRollup(each.path()) && each.after().isEmpty())
          .forEach(each -> onRollup.accept(counter(each), Optional.empty()));
    }
  }

  private static CounterPath counter(Changed rollup) {
    return CounterPath.of(SimulatedServer.id(rollup.path()));
  }

  private void check(Layout by, Changed each, boolean isListed) {
    if (Call.isRollup(each.path())) {
      checkRollup(by, each, isListed);
    } else if (Call.isRun(each.path())) {
      require(each.before().stream().allMatch(ServerTotals::isRun), each, "a run of others");
    } else if (Call.isEntry(each.path())) {
      begins += each.after().isPresent() ? 1 : 0;
    } else {
      require(AppDocuments.isOwn(each.path()), each, OF_OTHERS);
    }
  }

  private static boolean isRun(Document run) {
    return Protos.value("totals").equals(run.getFieldsMap().get("runs"));
  }

  private static void require(boolean holds, Changed each, String what) {
    if (!holds) {
      throw new AssertionError("functions have written " + what + ": " + each);
    }
  }

  private void checkRollup(Layout by, Changed each, boolean isListed) {
    CounterPath counter = counter(each);
    require(each.before().stream().allMatch(old -> isMarked(old, by, counter)), each, OF_OTHERS);
    require(each.after().stream().allMatch(now -> isMarked(now, by, counter)), each, OF_OTHERS);
    if (!layoutOf(counter).equals(by)) {
      require(!LAYOUTS.contains(by), each, "a roll-up of another deployment");
      return; // their own, where there was none
    }
    Optional<Rollup> before = each.before().map(document -> rollup(counter, document));
    Optional<Rollup> after =
        each.after()
            .map(document -> rollup(counter, document))
            .filter(rollup -> !rollup.isForeign());
    rollupWrites++;
    boolean ends =
        before.flatMap(Rollup::liveUntil).isPresent() && after.flatMap(Rollup::liveUntil).isEmpty();
    require(!ends || !hasEntry(counter), each, "an end that leaves the entry");
    if (after.isEmpty()) {
      Rollup removed = before.orElseThrow();
      require(removed.wasWritten(), each, "nothing in place of a document without a total");
      require(
          each.after().isPresent() || removed.whose() == Rollup.Whose.OURS,
          each,
          "over fields of others");
      checkDeleted(counter, removed.updateTime());
      branches.add(Branch.ROLLUP_DELETED);
      onRollup.accept(counter, Optional.empty());
      return;
    }
    Rollup written = after.orElseThrow();
    require(
        written.shards() != 0 || before.filter(Rollup::wasWritten).isPresent(),
        each,
        "0 where there was no total");
    boolean quiet = written.liveUntil().equals(Optional.of(written.asOf()));
    created += before.isEmpty() && quiet ? 1 : 0;
    branches.add(branch(before, written, isListed));
    onRollup.accept(counter, after);
  }

  private boolean hasEntry(CounterPath counter) {
    String id = layoutOf(counter).liveId(counter);
    return server.list(liveList(counter)).stream()
        .anyMatch(each -> SimulatedServer.id(each.getName()).equals(id));
  }

  private static Branch branch(Optional<Rollup> before, Rollup after, boolean isListed) {
    if (before.isEmpty()) {
      return Branch.ROLLUP_CREATED;
    }
    if (before.get().liveUntil().isPresent() && after.liveUntil().isEmpty()) {
      return Branch.SETTLED;
    }
    return isListed ? Branch.MADE_LIVE : Branch.WRITTEN;
  }

  /** A total is removed only if its counter had no document. */
  private void checkDeleted(CounterPath counter, Instant version) {
    Instant filled = filledSince.get(counter);
    if (filled != null && filled.isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed, but it has shards");
    }
    if (showsFields && ownSince.getOrDefault(documentOf(counter), Instant.MAX).isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed, but its document is there");
    }
  }

  /** The shards of a counter, as queries see them, by their numbers. */
  Map<Integer, Document> shards(CounterPath counter) {
    Map<Integer, Document> shards = new TreeMap<>();
    server
        .list(shardsOf(counter))
        .forEach(shard -> shards.put(Integer.valueOf(SimulatedServer.id(shard.getName())), shard));
    return shards;
  }

  /** The sum that a query finds now: it ignores documents without a number in both figures. */
  Sum sum(CounterPath counter, Instant readTime) {
    List<Object> counts =
        shards(counter).values().stream()
            .flatMap(shard -> Stream.ofNullable(shard.getFieldsMap().get("count")))
            .map(Protos::object)
            .filter(count -> count instanceof Number it && !Double.isNaN(it.doubleValue()))
            .toList();
    return new Sum(Total.add(counts), counts.size(), readTime);
  }

  Sum sum(CounterPath counter) {
    return sum(counter, time.now());
  }

  /** The counter's roll-up; empty if a document of others is in its place. */
  Optional<Rollup> rollup(CounterPath counter) {
    return server
        .document(rollupDocument(counter))
        .map(document -> rollup(counter, document))
        .filter(rollup -> !rollup.isForeign());
  }

  private static Rollup rollup(CounterPath counter, Document document) {
    Map<String, Value> fields = document.getFieldsMap();
    boolean isOurs = isMarked(document, layoutOf(counter), counter);
    Set<String> others = new HashSet<>(fields.keySet());
    others.removeAll(Set.of("counter", "total_of", "count", "shards", "as_of", "live_until"));
    Object count = Protos.object(fields.getOrDefault("count", Protos.value(Double.NaN)));
    return new Rollup(
        count instanceof Number number ? Total.of(number) : Total.of(Double.NaN),
        fields.getOrDefault("shards", Protos.value(-1L)).getIntegerValue(),
        time(document, "as_of").orElse(Instant.EPOCH),
        time(document, "live_until"),
        Protos.instant(document.getUpdateTime()),
        !isOurs
            ? Rollup.Whose.FOREIGN
            : others.isEmpty() ? Rollup.Whose.OURS : Rollup.Whose.SHARED);
  }

  static Optional<Instant> time(Document document, String field) {
    return Optional.ofNullable(document.getFieldsMap().get(field))
        .filter(Value::hasTimestampValue)
        .map(value -> Protos.instant(value.getTimestampValue()));
  }

  static Optional<Instant> time(Optional<Document> document, String field) {
    return document.flatMap(found -> time(found, field));
  }

  boolean isLive(CounterPath counter) {
    return rollup(counter).flatMap(Rollup::liveUntil).isPresent();
  }

  /** The claims in run documents, by the documents' paths. */
  Map<String, Claim> claims() {
    Map<String, Claim> claims = new TreeMap<>();
    for (Document each : server.group("live")) {
      Value holder = each.getFieldsMap().get("holder");
      String path = SimulatedServer.path(each);
      if (Call.isRun(path) && holder != null) {
        claims.put(path, new Claim(holder.getStringValue(), time(each, "until").orElseThrow()));
      }
    }
    return claims;
  }

  /** Whether nothing is live. */
  boolean isQuiet() {
    return LAYOUTS.stream()
            .noneMatch(
                layout ->
                    server.list(Functions.of(layout).liveList()).stream().anyMatch(isEntry(layout)))
        && rollups().noneMatch(counter -> isLive(counter));
  }

  /** Whether a document of a live list is an entry of functions with a layout. */
  static Predicate<Document> isEntry(Layout by) {
    Value totalOf = Protos.value(mark(by, CounterPath.of("any")).get("total_of"));
    return each ->
        totalOf.equals(each.getFieldsMap().get("total_of"))
            && by.counterOfDocument(each.getFieldsOrThrow("counter").getStringValue())
                .map(by::liveId)
                .filter(SimulatedServer.id(each.getName())::equals)
                .isPresent();
  }

  private Stream<CounterPath> rollups() {
    return server.list("rollups").stream()
        .map(each -> CounterPath.of(SimulatedServer.id(each.getName())))
        .filter(counter -> rollup(counter).isPresent());
  }

  /** All counters, without those whose roll-up's place holds a document of others. */
  List<CounterPath> counters() {
    Set<CounterPath> all = new TreeSet<>(Comparator.comparing(CounterPath::toString));
    all.addAll(filledSince.keySet());
    all.removeIf(
        counter ->
            server.document(rollupDocument(counter)).isPresent() && rollup(counter).isEmpty());
    rollups().forEach(all::add);
    return List.copyOf(all);
  }

  /** The counters whose roll-up differs from the sum of their shards. */
  List<CounterPath> wrong() {
    return counters().stream().filter(this::isWrong).toList();
  }

  private boolean isWrong(CounterPath counter) {
    Sum exact = sum(counter);
    Optional<Rollup> rollup = rollup(counter);
    if (exact.shards() > 0) {
      return rollup
          .map(held -> !held.total().equals(exact.total()) || held.shards() != exact.shards())
          .orElse(!showsFields || server.document(documentOf(counter)).isPresent());
    }
    boolean isGone =
        shards(counter).isEmpty()
            && (!showsFields || server.document(documentOf(counter)).isEmpty());
    return rollup
        .filter(Rollup::wasWritten)
        .filter(held -> !held.isEmptied() || (isGone && held.whose() == Rollup.Whose.OURS))
        .isPresent();
  }
}
