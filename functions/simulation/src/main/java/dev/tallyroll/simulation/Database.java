package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.Kind;
import dev.tallyroll.protocol.ConfirmedSettings.Look;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RollupStore.Entry;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.Place;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The server's side of the simulated Firestore. Each call takes effect at one moment.
 *
 * <p>Commit times rise strictly, and so do a document's update times, as Firestore documents. A
 * commit to a shard may be visible to queries later than its own time stamp says, as on the
 * emulator.
 */
final class Database {
  /** A shard that queries see: its count field, empty if it lacks one, and its version. */
  record Shard(Optional<Object> field, Instant updateTime) {
    Shard(Total count, Instant updateTime) {
      this(Optional.of(count.number()), updateTime);
    }
  }

  /** An entry of the live list, and the time from which queries find it. */
  private record Listed(CounterPath counter, Instant since, Instant updateTime, Instant visible) {}

  record Run(Claim claim, Optional<Place> place, Instant updateTime) {}

  /** The layout of a second deployment, which shares the roll-ups' collection with the first. */
  static final Layout POLLS =
      new Layout("{parent=**}/polls", "shards", "rollups", "rollup_runs", "count");

  /** The layout of counters that no trigger watches. */
  static final Layout POLLED = Layout.DEFAULT.in("polled_counters");

  private static final Comparator<CounterPath> ORDER = Comparator.comparing(CounterPath::toString);

  private final VirtualTime time;
  final Map<CounterPath, Map<Integer, Shard>> shards = new TreeMap<>(ORDER);
  private final Map<CounterPath, Rollup> rollups = new TreeMap<>(ORDER);

  /** The live list, by the paths of the entries. */
  private final NavigableMap<String, Listed> live = new TreeMap<>();

  private final Map<CounterPath, Rollup> foreign = new TreeMap<>(ORDER);
  final Map<String, Run> runs = new TreeMap<>();
  final Documents documents;

  /** The documents of confirmed settings, by their paths. */
  final Map<String, Map<String, Object>> settings = new HashMap<>();

  /** When the settings of the default layout were removed. */
  private Instant settingsGone = Instant.MAX;

  /** The counters that have shards, and when one had none the last time. */
  private final Set<CounterPath> filled = new HashSet<>();

  private final Map<CounterPath, Instant> lastEmpty = new HashMap<>();

  /** The number of runs that got names. */
  int holders;

  /** The places of run documents that hold documents of somebody else. */
  final Set<String> foreignRuns = new HashSet<>();

  private BiConsumer<CounterPath, Optional<Rollup>> onRollup = (counter, rollup) -> {};
  private Instant last = Instant.EPOCH;
  long rollupWrites;

  /** The cost of queries of the live list, in reads. */
  long listed;

  /** How often a roll-up was created, or a counter made live. */
  int begins;

  /** How often a roll-up was created without its counter being made live. */
  int created;

  /** The number of calls without an answer yet, those of crashed callers included. */
  int underWay;

  Database(VirtualTime time) {
    this.time = time;
    this.documents = new Documents(time, this::tick);
  }

  /** Sets the only listener, which gets each roll-up that is written or removed. */
  void onRollup(BiConsumer<CounterPath, Optional<Rollup>> listener) {
    onRollup = listener;
  }

  Map<Integer, Shard> shards(CounterPath counter) {
    return shards.getOrDefault(counter, Map.of());
  }

  /** Removes the settings of the default layout, as a restore might. */
  void removeSettings() {
    settings.remove(Layout.DEFAULT.settingsDocument());
    settingsGone = time.now();
  }

  /** Notes that a counter's shards have changed. */
  void shardsChanged(CounterPath counter) {
    if (shards(counter).isEmpty()) {
      filled.remove(counter);
    } else if (filled.add(counter)) {
      lastEmpty.put(counter, time.now());
    }
  }

  /** Writes a shard; an empty field makes a document without the field. */
  Instant put(CounterPath counter, int shard, Optional<Object> field) {
    Instant now = tick();
    shards.computeIfAbsent(counter, unused -> new TreeMap<>()).put(shard, new Shard(field, now));
    return now;
  }

  /** The time of a call, different from all others. */
  Instant tick() {
    Instant now = time.now();
    last = now.isAfter(last) ? now : last.plusNanos(1_000);
    return last;
  }

  /** Whether nothing is live and no call is in flight, even of a crashed caller. */
  boolean isQuiet() {
    return underWay == 0
        && live.isEmpty()
        && rollups.values().stream().allMatch(rollup -> rollup.liveUntil().isEmpty());
  }

  /** The layout of a counter, by its name: p for the second deployment's, q for polled ones. */
  static Layout layoutOf(CounterPath counter) {
    return switch (counter.id().charAt(0)) {
      case 'p' -> POLLS;
      case 'q' -> POLLED;
      default -> Layout.DEFAULT;
    };
  }

  static boolean isPolled(CounterPath counter) {
    return layoutOf(counter).equals(POLLED);
  }

  Optional<Rollup> read(CounterPath counter) {
    return Optional.ofNullable(rollups.get(counter));
  }

  boolean isLive(CounterPath counter) {
    return read(counter).flatMap(Rollup::liveUntil).isPresent();
  }

  /** The document in a roll-up's place, as a deployment of this layout reads it. */
  Optional<Rollup> read(Layout layout, CounterPath counter) {
    return Optional.ofNullable(foreign.get(counter))
        .or(() -> read(counter).map(rollup -> seen(layout, counter, rollup)));
  }

  /** The mark of a roll-up in that place that belongs to another layout. */
  Optional<String> otherMark(Layout layout, CounterPath counter) {
    Layout own = layoutOf(counter);
    return read(counter)
        .filter(rollup -> !own.counters().equals(layout.counters()))
        .map(rollup -> own.counterDocument(counter));
  }

  private static Rollup seen(Layout layout, CounterPath counter, Rollup rollup) {
    return layoutOf(counter).counters().equals(layout.counters())
        ? rollup
        : of(Rollup.Whose.FOREIGN, rollup);
  }

  private static Rollup of(Rollup.Whose whose, Rollup rollup) {
    return new Rollup(
        rollup.total(),
        rollup.shards(),
        rollup.asOf(),
        rollup.liveUntil(),
        rollup.updateTime(),
        whose);
  }

  /** Writes somebody else's document, which may have the fields of a roll-up. */
  void putForeign(CounterPath counter, Rollup rollup) {
    rollups.remove(counter);
    foreign.put(counter, of(Rollup.Whose.FOREIGN, rollup.at(tick())));
  }

  /** Hands a document over: writes one with only the mark of a counter that has no shards. */
  void handOver(CounterPath counter) {
    Rollup marked =
        new Rollup(new Total.Fraction(Double.NaN), -1, Instant.EPOCH, Optional.empty(), tick());
    rollups.put(counter, of(Rollup.Whose.SHARED, marked));
  }

  /** Puts a server's own field into a roll-up. */
  void addField(CounterPath counter) {
    rollups.computeIfPresent(counter, (path, rollup) -> of(Rollup.Whose.SHARED, rollup.at(tick())));
  }

  /**
   * The sum that a deployment of this layout finds for its own counter of that name. With another
   * pattern, field or shards' collection, it finds nothing.
   */
  Sum sum(Layout layout, CounterPath counter) {
    return layoutOf(counter).equals(layout) ? sum(counter) : new Sum(new Total.Whole(0), 0, tick());
  }

  /** The first document that such a deployment finds in the collection of the counter's shards. */
  Look look(Layout layout, CounterPath counter) {
    Layout own = layoutOf(counter);
    boolean misses =
        !own.counters().equals(layout.counters()) || !own.shards().equals(layout.shards());
    if (misses || shards(counter).isEmpty()) {
      return Look.NOTHING;
    }
    boolean isShard = shards(counter).values().iterator().next().field().isPresent();
    return isShard && own.equals(layout) ? Look.SHARD : Look.OTHER;
  }

  /** The sum that a query finds now. */
  Sum sum(CounterPath counter) {
    return sum(counter, tick());
  }

  /** The sum. A query for sum and count ignores documents without the field in both. */
  Sum sum(CounterPath counter, Instant readTime) {
    List<Object> fields =
        shards(counter).values().stream().flatMap(shard -> shard.field().stream()).toList();
    return new Sum(Total.add(fields), fields.size(), readTime);
  }

  /**
   * @param heldUp the time from the request until the commit, while others hold a lock
   * @param lateness the time for which queries do not see the write
   */
  Optional<Instant> write(
      Layout layout, CounterPath counter, Change change, Duration heldUp, Duration lateness) {
    Optional<Rollup> held = read(layout, counter);
    if (!CompareAndSet.passes(change, held)) {
      return Optional.empty();
    }
    if (held.filter(Rollup::isForeign).isPresent()) {
      throw new AssertionError(counter + ": somebody else's document was changed by " + change);
    }
    boolean others = held.filter(it -> it.whose() == Rollup.Whose.SHARED).isPresent();
    if (change.kind() == Kind.REMOVE || change.kind() == Kind.CLEAR) {
      checkRemoval(counter, change.kind() == Kind.REMOVE && others);
      checkDeleted(layout, counter, held.orElseThrow().updateTime());
    }
    Instant now = tick();
    rollupWrites++;
    list(layout, counter, change, now.minus(heldUp), now, lateness);
    Optional<Rollup> written = CompareAndSet.applied(change, held, now);
    if (written.isEmpty()) {
      removeRollup(counter);
      if (others) {
        Rollup old = held.orElseThrow();
        putForeign(counter, old.with(old.sum(), Optional.empty()));
      }
      return Optional.of(now);
    }
    if (held.isPresent() && written.equals(held.map(old -> old.at(now)))) {
      return held.map(Rollup::updateTime); // a write without a change keeps the version
    }
    rollups.put(counter, written.get());
    onRollup.accept(counter, written);
    return Optional.of(now);
  }

  private void checkRemoval(CounterPath counter, boolean ofOthers) {
    if (ofOthers) {
      throw new AssertionError(counter + ": fields of others were deleted");
    }
    if (!read(counter).map(Rollup::wasWritten).orElse(true)) {
      throw new AssertionError(counter + ": a document without a total was removed");
    }
  }

  /** A total is removed only by those who made it, and only if its counter had no document. */
  private void checkDeleted(Layout layout, CounterPath counter, Instant version) {
    if (!layoutOf(counter).equals(layout)) {
      throw new AssertionError(counter + ": functions with other settings removed its total");
    }
    if (!shards(counter).isEmpty()
        && lastEmpty.getOrDefault(counter, Instant.MIN).isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed, but it has shards");
    }
    if (!settings.containsKey(layout.settingsDocument()) && settingsGone.isBefore(version)) {
      throw new AssertionError(counter + ": its total was removed without the settings");
    }
  }

  /** Updates the live list. An entry's time is its request's, in milliseconds. */
  private void list(
      Layout layout,
      CounterPath counter,
      Change change,
      Instant requested,
      Instant now,
      Duration lateness) {
    String path = layout.liveEntry(counter);
    boolean before = live.containsKey(path);
    boolean enters = !before || CompareAndSet.isListed(change, false);
    if (!CompareAndSet.isListed(change, before)) {
      live.remove(path);
    } else if (enters) {
      Instant since = requested.minusMillis(2).truncatedTo(ChronoUnit.MILLIS);
      live.put(path, new Listed(counter, since, now, now.plus(lateness)));
    }
    begins += CompareAndSet.isListed(change, false) ? 1 : 0;
    boolean quiet =
        change.kind() == Kind.CREATE && change.liveUntil().equals(change.sum().map(Sum::readTime));
    created += quiet ? 1 : 0;
  }

  /** Removes a roll-up, as an administrator might. */
  void removeRollup(CounterPath counter) {
    if (rollups.remove(counter) != null) {
      onRollup.accept(counter, Optional.empty());
    }
  }

  List<Entry> live(Layout layout, Part part) {
    return listed(layout, part.from(), part.to()).map(Database::entry).toList();
  }

  List<Entry> liveSince(Layout layout, Instant since) {
    return listed(layout, "0", "g")
        .filter(listed -> listed.since().isAfter(since))
        .map(Database::entry)
        .toList();
  }

  private Stream<Listed> listed(Layout layout, String from, String to) {
    String list = layout.liveList() + "/";
    return live.subMap(list + from, list + to).values().stream()
        .filter(listed -> !listed.visible().isAfter(time.now()));
  }

  private static Entry entry(Listed listed) {
    return new Entry(listed.counter(), listed.updateTime());
  }

  void remove(Layout layout, Entry entry) {
    String path = layout.liveEntry(entry.counter());
    Listed listed = live.get(path);
    if (listed != null && listed.updateTime().equals(entry.updateTime())) {
      live.remove(path);
      tick();
    }
  }

  /** A page of the sweep. A counter's own document exists from its first shard on. */
  Page page(Layout layout, Group group, String after, int limit) {
    NavigableMap<String, CounterPath> documents = new TreeMap<>(); // by segments
    if (group == Group.COUNTERS) {
      shards.keySet().stream()
          .filter(each -> layoutOf(each).counters().equals(layout.counters()))
          .filter(each -> !isPolled(each) || !shards(each).isEmpty()) // deleted with its shards
          .forEach(each -> documents.put(key(layout.counterDocument(each)), each));
    } else {
      rollups.keySet().forEach(each -> documents.put(key(layout.rollupDocument(each)), each));
      foreign.keySet().forEach(each -> documents.put(key(layout.rollupDocument(each)), each));
    }
    List<String> keys =
        documents.tailMap(key(after), /* inclusive= */ false).keySet().stream()
            .limit(limit)
            .toList();
    return new Page(
        keys.stream().map(documents::get).toList(),
        keys.size(),
        keys.size() == limit ? keys.get(limit - 1).replace('\0', '/') : "");
  }

  /** Orders paths by segments. */
  private static String key(String path) {
    return path.replace('/', '\0');
  }

  /** All counters, without those whose roll-up's place holds a document of others. */
  List<CounterPath> counters() {
    List<CounterPath> all = new ArrayList<>(shards.keySet());
    rollups.keySet().stream().filter(counter -> !shards.containsKey(counter)).forEach(all::add);
    all.removeAll(foreign.keySet());
    return all;
  }

  /** The counters whose roll-up differs from the sum of their shards. */
  List<CounterPath> wrong() {
    return counters().stream().filter(this::isWrong).toList();
  }

  /** Whether there are shards, but none with the field: then the last good total stays. */
  boolean lacksFields(CounterPath counter) {
    return !shards(counter).isEmpty() && sum(counter, time.now()).shards() == 0;
  }

  private boolean isWrong(CounterPath counter) {
    Sum exact = sum(counter);
    Optional<Rollup> rollup = read(counter);
    if (lacksFields(counter)) {
      return false;
    }
    return exact.shards() == 0
        ? rollup.filter(Rollup::wasWritten).isPresent()
        : rollup
            .map(held -> !held.total().equals(exact.total()) || held.shards() != exact.shards())
            .orElse(true);
  }
}
