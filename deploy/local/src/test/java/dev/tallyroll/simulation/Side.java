package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One of two stores that get the same calls. Its answers are texts without times of its own, which
 * are equal if both behave in the same way. Used by one thread.
 */
final class Side implements AutoCloseable {
  private final RollupStore store;
  private final ShardStore shards;
  private final Layout layout;
  private final Passage passage;
  private final RunSide runs;
  private final Chronicle chronicle;
  private final List<Sum> sums = new ArrayList<>();
  private final Map<Group, List<String>> pageEnds = new EnumMap<>(Group.class);

  Side(
      RollupStore store,
      ShardStore shards,
      Layout layout,
      Passage passage,
      RunSide runs,
      Chronicle chronicle) {
    this.store = store;
    this.shards = shards;
    this.layout = layout;
    this.passage = passage;
    this.runs = runs;
    this.chronicle = chronicle;
  }

  /** Whatever is later needed to make a call is there: a time to start from, and a sum. */
  void start(CounterPath counter) throws Exception {
    chronicle.startAt(get(store.read(counter)).readTime());
    var unused = sum(counter);
  }

  RunSide runs() {
    return runs;
  }

  String read(CounterPath counter) throws Exception {
    Reading reading = get(store.read(counter));
    chronicle.read(reading.readTime());
    return reading.rollup().map(rollup -> tell(counter, rollup)).orElse("absent");
  }

  String sum(CounterPath counter) throws Exception {
    Sum sum = get(store.sum(counter));
    chronicle.summed(sum.readTime());
    sums.add(sum);
    return kind(sum.total().number()) + " in " + sum.shards();
  }

  /** With what is there afterwards: a refused write must not have changed it. */
  String write(CounterPath counter, PlannedChange planned) throws Exception {
    String document = document(counter);
    Change change = planned.with(sums, document, chronicle);
    Optional<Instant> applied = get(store.write(counter, change));
    return applied.map(time -> tell(change, document, time)).orElse("refused")
        + "; then "
        + read(counter);
  }

  private String tell(Change change, String document, Instant time) {
    return change instanceof Change.Delete
        ? chronicle.deleted(document, time)
        : chronicle.version(document, time);
  }

  String live() throws Exception {
    return tell(get(store.live()));
  }

  String liveAfter(Duration afterStart, List<Integer> lanes) throws Exception {
    return tell(get(store.liveAfter(chronicle.time(afterStart), lanes)));
  }

  private String tell(LiveList list) {
    chronicle.read(list.readTime());
    return list.counters().stream().map(live -> tell(live.counter(), live.rollup())).toList() + "";
  }

  /**
   * @param pick which of the pages' ends so far to go on from, or the start
   */
  String page(Group group, int pick, int limit) throws Exception {
    List<String> ends = pageEnds.computeIfAbsent(group, unused -> new ArrayList<>(List.of("")));
    Page page = get(store.page(group, ends.get(pick % ends.size()), limit));
    chronicle.read(page.readTime());
    ends.add(page.last());
    return page.counters().stream()
            .map(
                found ->
                    found
                        .rollup()
                        .map(rollup -> tell(found.counter(), rollup))
                        .orElse(found.counter() + ""))
            .toList()
        + " up to "
        + common(page.last());
  }

  /** The layouts differ in the names of their collections, and the sides in their layouts. */
  private String common(String path) {
    return path.replace(layout.rollups(), Layout.DEFAULT.rollups())
        .replace(layout.counters(), Layout.DEFAULT.counters());
  }

  String change(CounterPath counter, int shard, ShardChange change) throws Exception {
    Optional<Instant> time = change.on(shards, counter, shard);
    String document = layout.shardsCollection(counter) + "/" + shard;
    return time.map(at -> tell(change, document, at)).orElse("not found");
  }

  private String tell(ShardChange change, String document, Instant time) {
    return change instanceof ShardChange.Delete
        ? chronicle.deleted(document, time)
        : chronicle.version(document, time);
  }

  private String tell(CounterPath counter, Rollup rollup) {
    return "%s: %s in %d as of %s, %s, %s"
        .formatted(
            counter,
            kind(rollup.total().number()),
            rollup.shards(),
            chronicle.sum(rollup.asOf()),
            rollup.lease().map(this::tell).orElse("settled"),
            chronicle.version(document(counter), rollup.updateTime()));
  }

  private String tell(Lease lease) {
    return "live until %s in lane %d".formatted(chronicle.distance(lease.until()), lease.lane());
  }

  private static String kind(Number number) {
    return number.getClass().getSimpleName() + " " + number;
  }

  private String document(CounterPath counter) {
    return layout.rollupDocument(counter);
  }

  private <T> T get(CompletableFuture<T> call) throws Exception {
    return passage.get(call);
  }

  @Override
  public void close() {
    runs.close();
  }
}
