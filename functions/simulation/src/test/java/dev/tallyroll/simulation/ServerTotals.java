package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
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
import java.util.stream.Stream;

/**
 * What counters, roll-ups and live lists on the server say, read without the code that is tested.
 * Checks each commit of functions: they write only what is theirs, and remove a total only if its
 * counter is gone.
 */
final class ServerTotals {
  /** The layout of a second deployment, which shares the roll-ups' collection with the first. */
  static final Layout POLLS =
      new Layout("{parent=**}/polls", "shards", "rollups", "rollup_runs", "count");

  /** The layout of counters that no trigger watches. */
  static final Layout POLLED = Layout.DEFAULT.in("polled_counters");

  private static final List<Layout> LAYOUTS = List.of(Layout.DEFAULT, POLLS, POLLED);
  private static final String MARK = "counter";

  private final VirtualTime time;
  private final SimulatedServer server;

  /** Since when a counter has shards; it is not there without any. */
  private final Map<CounterPath, Instant> filledSince = new HashMap<>();

  /** The counters that have had shards. */
  final Set<CounterPath> seen = new HashSet<>();

  /** When the settings of the default layout were removed. */
  private Instant settingsGone = Instant.MAX;

  /**
   * An instance believes for a minute in what it has read. Then it may read a roll-up, sum, and
   * write, each of which may take long.
   */
  private static final Duration BELIEVED =
      Duration.ofSeconds(62).plus(Timing.LONGEST_CALL.multipliedBy(3));

  /** Whether there were settings before all functions with others. */
  boolean strangersKnow;

  /** From then on, no instance may write a total. */
  private Optional<Instant> settingsDiffer = Optional.empty();

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

  static Located located(CounterPath counter) {
    return new Located(layoutOf(counter), counter);
  }

  static boolean isPolled(CounterPath counter) {
    return layoutOf(counter).equals(POLLED);
  }

  /** The live list for a counter. */
  static String liveList(CounterPath counter) {
    return layoutOf(counter).liveList();
  }

  /** The path of a counter's own document; the mark of its roll-up. */
  private static String mark(CounterPath counter) {
    return layoutOf(counter).counterDocument(counter);
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
    return showsFields && ownSince.getOrDefault(mark(counter), Instant.MAX).isAfter(changed);
  }

  /** The path of the collection of a counter's shards. */
  static String shardsOf(CounterPath counter) {
    return mark(counter) + "/shards";
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
      commit.changes().forEach(each -> check(commit.by().get(), each, isListed));
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
      require(each.before().stream().allMatch(run -> isMarked(run, by)), each, "a run of others");
      require(!isMistaken(by), each, "a run with other settings");
    } else if (Call.isSettings(each.path())) {
      require(each.before().isEmpty(), each, "settings that are there");
    } else if (Call.isEntry(each.path())) {
      begins += each.after().isPresent() ? 1 : 0;
    } else {
      require(AppDocuments.isOwn(each.path()), each, "a document of others");
    }
  }

  private static boolean isMarked(Document run, Layout by) {
    return Protos.value(by.placeOfTotals()).equals(run.getFieldsMap().get("counters"));
  }

  private static void require(boolean holds, Changed each, String what) {
    if (!holds) {
      throw new AssertionError("functions have written " + what + ": " + each);
    }
  }

  private void checkRollup(Layout by, Changed each, boolean isListed) {
    CounterPath counter = counter(each);
    Optional<Rollup> before = each.before().map(document -> rollup(counter, document));
    Optional<Rollup> after =
        each.after()
            .map(document -> rollup(counter, document))
            .filter(rollup -> !rollup.isForeign());
    boolean isOwn = layoutOf(counter).counters().equals(by.counters());
    require(layoutOf(counter).equals(by), each, "a total with other settings");
    boolean differ = layoutOf(counter).equals(Layout.DEFAULT) && areReplaced();
    require(!differ, each, "a total with old settings");
    require(before.stream().noneMatch(Rollup::isForeign), each, "a document of others");
    require(isOwn, each, "a roll-up of another deployment");
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
      checkDeleted(by, counter, removed.updateTime());
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
    String id = located(counter).liveId();
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

  /** A total is removed only by those who made it, and only if its counter had no document. */
  private void checkDeleted(Layout by, CounterPath counter, Instant version) {
    if (!layoutOf(counter).equals(by)) {
      throw new AssertionError(counter + ": functions with other settings removed its total");
    }
    Instant filled = filledSince.get(counter);
    if (filled != null && filled.isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed, but it has shards");
    }
    if (showsFields && ownSince.getOrDefault(mark(counter), Instant.MAX).isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed, but its document is there");
    }
    String settings = layoutOf(counter).settingsDocument();
    if (server.document(settings).isEmpty() && settingsGone.isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed without the settings");
    }
  }

  /** Functions sum a counter's shards: nobody does with other settings than the stored ones. */
  void summed(Layout by, String counter) {
    boolean isDefault = Layout.DEFAULT.counterOfDocument(counter).isPresent();
    if (checks && (isMistaken(by) || (isDefault && areReplaced()))) {
      throw new AssertionError("functions have summed with other settings: " + by);
    }
  }

  private boolean areReplaced() {
    return settingsDiffer.orElse(Instant.MAX).isBefore(time.now());
  }

  /** Whether an instance has settings that nobody has deployed, and must have read the others. */
  private boolean isMistaken(Layout by) {
    return !LAYOUTS.contains(by)
        && (strangersKnow
            || server
                .document(by.settingsDocument())
                .map(stored -> Protos.instant(stored.getCreateTime()).plus(BELIEVED))
                .filter(time.now()::isAfter)
                .isPresent());
  }

  /** An operator has confirmed other settings than those of all instances that are there. */
  void settingsAreReplaced() {
    settingsDiffer = Optional.of(time.now().plus(BELIEVED));
  }

  /** He has put them back. */
  void settingsAreBack() {
    settingsDiffer = Optional.empty();
  }

  /** Notes that somebody removes the settings of the default layout, as a restore might. */
  void settingsAreRemoved() {
    settingsGone = time.now();
  }

  /** The shards of a counter, as queries see them, by their numbers. */
  Map<Integer, Document> shards(CounterPath counter) {
    Map<Integer, Document> shards = new TreeMap<>();
    server
        .list(shardsOf(counter))
        .forEach(shard -> shards.put(Integer.valueOf(SimulatedServer.id(shard.getName())), shard));
    return shards;
  }

  /** The sum that a query finds now: it ignores documents without the field in both numbers. */
  Sum sum(CounterPath counter, Instant readTime) {
    List<Object> counts =
        shards(counter).values().stream()
            .flatMap(shard -> Stream.ofNullable(shard.getFieldsMap().get("count")))
            .map(Protos::object)
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
    boolean isOurs = Protos.value(mark(counter)).equals(fields.get(MARK));
    Set<String> others = new HashSet<>(fields.keySet());
    others.removeAll(Set.of(MARK, "count", "shards", "as_of", "live_until"));
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
            .flatMap(layout -> server.list(layout.liveList()).stream())
            .allMatch(each -> Call.isRun(SimulatedServer.path(each)))
        && rollups().noneMatch(counter -> isLive(counter));
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

  /** Whether there are shards, but none with the field: then the last good total stays. */
  boolean lacksFields(CounterPath counter) {
    return !shards(counter).isEmpty() && sum(counter).shards() == 0;
  }

  private boolean isWrong(CounterPath counter) {
    Sum exact = sum(counter);
    Optional<Rollup> rollup = rollup(counter);
    if (exact.shards() > 0) {
      return rollup
          .map(held -> !held.total().equals(exact.total()) || held.shards() != exact.shards())
          .orElse(!showsFields || server.document(mark(counter)).isPresent());
    }
    if (lacksFields(counter) && !showsFields) {
      return false;
    }
    boolean isGone =
        !lacksFields(counter) && (!showsFields || server.document(mark(counter)).isEmpty());
    return rollup
        .filter(Rollup::wasWritten)
        .filter(held -> !held.isEmptied() || (isGone && held.whose() == Rollup.Whose.OURS))
        .isPresent();
  }
}
