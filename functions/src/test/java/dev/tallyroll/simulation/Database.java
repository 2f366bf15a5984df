package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.RollupStore.Found;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RunStore.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The server's side of the simulated Firestore: each call takes effect at one moment.
 *
 * <p>Commit times rise strictly, and so do a document's update times, as Firestore documents. A
 * commit to a shard may be visible to queries later than its own time stamp says, as on the
 * emulator.
 */
final class Database {
  /** A shard as queries see it: its count field, if it has one, and its version. */
  record Shard(Optional<Object> field, Instant updateTime) {
    Shard(Total count, Instant updateTime) {
      this(Optional.of(count.number()), updateTime);
    }

    boolean isNumber() {
      return field.orElse("") instanceof Number;
    }

    /** Its part in a sum, which passes over what is not a number. */
    Total count() {
      return field.orElse("") instanceof Number number ? Total.of(number) : new Total.Whole(0);
    }
  }

  /** A roll-up, from when queries find it, and what they find until then. */
  private record Stored(Rollup rollup, Instant visible, Optional<Rollup> before) {
    Optional<Rollup> at(Instant now) {
      return visible.isAfter(now) ? before : Optional.of(rollup);
    }
  }

  /** A run document. */
  record Run(Claim claim, Instant updateTime, Optional<Instant> poked) {}

  private static final Comparator<CounterPath> ORDER = Comparator.comparing(CounterPath::toString);

  private final VirtualTime time;
  final Map<CounterPath, Map<Integer, Shard>> shards = new TreeMap<>(ORDER);
  private final Map<CounterPath, Stored> rollups = new TreeMap<>(ORDER);
  final Map<Integer, Run> runs = new TreeMap<>();
  private BiConsumer<CounterPath, Optional<Rollup>> onRollup = (counter, rollup) -> {};
  private Instant last = Instant.EPOCH;
  private long rollupWrites;
  private int underWay;

  Database(VirtualTime time) {
    this.time = time;
  }

  void onRollup(BiConsumer<CounterPath, Optional<Rollup>> listener) {
    onRollup = listener;
  }

  /** A time that no other call has got. */
  Instant tick() {
    Instant now = time.now();
    last = now.isAfter(last) ? now : last.plusNanos(1_000);
    return last;
  }

  long rollupWrites() {
    return rollupWrites;
  }

  /** Nothing is live, and no call is under way, not even one whose caller is gone. */
  boolean isQuiet() {
    return underWay == 0
        && rollups.values().stream().allMatch(stored -> stored.rollup().lease().isEmpty());
  }

  void begin() {
    underWay++;
  }

  void end() {
    underWay--;
  }

  Optional<Rollup> read(CounterPath counter) {
    return Optional.ofNullable(rollups.get(counter)).map(Stored::rollup);
  }

  /** One query for a sum and a count leaves out the documents without the field in both. */
  Sum sum(CounterPath counter) {
    List<Total> counts =
        shards.getOrDefault(counter, Map.of()).values().stream()
            .filter(shard -> shard.field().isPresent())
            .map(Shard::count)
            .toList();
    return new Sum(Numbers.sum(counts), counts.size(), tick());
  }

  /**
   * @param lateness how long queries do not see the write
   */
  Optional<Instant> write(CounterPath counter, Change change, Duration lateness) {
    Optional<Rollup> held = read(counter);
    if (!CompareAndSet.passes(change, held)) {
      return Optional.empty();
    }
    Instant now = tick();
    rollupWrites++;
    Optional<Rollup> written = CompareAndSet.applied(change, held, now);
    if (written.isEmpty()) {
      removeRollup(counter);
      return Optional.of(now);
    }
    if (held.isPresent() && written.equals(held.map(old -> at(old, now)))) {
      return held.map(Rollup::updateTime); // a write that changes nothing keeps the version
    }
    rollups.put(counter, new Stored(written.get(), now.plus(lateness), held));
    onRollup.accept(counter, written);
    return Optional.of(now);
  }

  private static Rollup at(Rollup rollup, Instant updateTime) {
    return new Rollup(rollup.total(), rollup.shards(), rollup.asOf(), rollup.lease(), updateTime);
  }

  /** Takes a roll-up away, as an administrator might. */
  void removeRollup(CounterPath counter) {
    if (rollups.remove(counter) != null) {
      onRollup.accept(counter, Optional.empty());
    }
  }

  List<Live> live() {
    List<Live> live = new ArrayList<>();
    rollups.forEach(
        (counter, stored) ->
            stored
                .at(time.now())
                .filter(rollup -> rollup.lease().isPresent())
                .ifPresent(rollup -> live.add(new Live(counter, rollup))));
    live.sort(Orders.BY_LANE);
    return live;
  }

  /** A counter's own document is there from the first of its shards on. */
  Page page(Group group, String after, int limit) {
    NavigableMap<String, CounterPath> documents = new TreeMap<>(Orders.PATHS);
    if (group == Group.COUNTERS) {
      shards.keySet().forEach(each -> documents.put(Layout.DEFAULT.counterDocument(each), each));
    } else {
      rollups.keySet().forEach(each -> documents.put(Layout.DEFAULT.rollupDocument(each), each));
    }
    List<String> paths =
        documents.tailMap(after, /* inclusive= */ false).keySet().stream().limit(limit).toList();
    return new Page(
        paths.stream().map(documents::get).map(counter -> found(group, counter)).toList(),
        paths.size() == limit ? paths.get(limit - 1) : "",
        tick());
  }

  private Found found(Group group, CounterPath counter) {
    return new Found(counter, group == Group.ROLLUPS ? read(counter) : Optional.empty());
  }

  List<CounterPath> counters() {
    List<CounterPath> all = new ArrayList<>(shards.keySet());
    rollups.keySet().stream().filter(counter -> !shards.containsKey(counter)).forEach(all::add);
    return all;
  }
}
