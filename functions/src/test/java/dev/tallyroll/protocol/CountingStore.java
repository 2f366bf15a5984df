package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** A store of live counters that answers at once, unless it holds its answers, and counts calls. */
final class CountingStore implements RollupStore {
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Lease LEASE = new Lease(START.plusSeconds(3_600), 0);

  final Map<CounterPath, Total> sums = new HashMap<>();
  final Map<CounterPath, Integer> written = new HashMap<>();
  final CompletableFuture<Void> firstAnswer = new CompletableFuture<>();
  private final List<CounterPath> live;
  private int clock;
  int reads;
  int summed;

  CountingStore(int counters) {
    live = IntStream.range(0, counters).mapToObj(i -> CounterPath.of("c" + i)).toList();
  }

  List<CounterPath> counters() {
    return live;
  }

  private Instant tick() {
    return START.plusMillis(++clock);
  }

  @Override
  public Layout layout() {
    return Layout.DEFAULT;
  }

  /** Not until {@link #firstAnswer} has been completed. */
  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    reads++;
    return firstAnswer.thenApply(none -> new Reading(Optional.empty(), tick()));
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    summed++;
    Total total = sums.getOrDefault(counter, new Total.Whole(1));
    return CompletableFuture.completedFuture(new Sum(total, 1, tick()));
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    written.merge(counter, 1, Integer::sum);
    return CompletableFuture.completedFuture(Optional.of(tick()));
  }

  @Override
  public CompletableFuture<LiveList> live() {
    Rollup stale = new Rollup(new Total.Whole(0), 1, START, Optional.of(LEASE), START);
    return CompletableFuture.completedFuture(
        new LiveList(live.stream().map(counter -> new Live(counter, stale)).toList(), tick()));
  }

  @Override
  public CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes) {
    return CompletableFuture.completedFuture(new LiveList(List.of(), tick()));
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    return CompletableFuture.completedFuture(new Page(List.of(), "", tick()));
  }
}
