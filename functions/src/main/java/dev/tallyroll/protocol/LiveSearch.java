package dev.tallyroll.protocol;

import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.LiveList;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Finds one worker's live counters: all of them now and then, and those that are new when a wake-up
 * says that there are some. Used on the event loop only.
 */
final class LiveSearch {
  private final RollupStore store;
  private final Timing timing;
  private final Lanes lanes;
  private final int worker;
  private Instant lastQuery = Instant.MIN;
  private Instant nextAll = Instant.MIN;

  LiveSearch(RollupStore store, Timing timing, Lanes lanes, int worker) {
    this.store = store;
    this.timing = timing;
    this.lanes = lanes;
    this.worker = worker;
  }

  /** Whether it is time to look whether one has been missed. */
  boolean isDue(Instant now) {
    return !now.isBefore(nextAll);
  }

  CompletableFuture<LiveList> all(Instant now) {
    boolean first = lastQuery.equals(Instant.MIN);
    // A run that is being taken over may still write once after it has been read from.
    nextAll = now.plus(first ? timing.tick() : timing.lease().multipliedBy(2));
    return store.live().thenApply(this::own);
  }

  /** Those whose lease was set or renewed since the last query, or shortly before. */
  CompletableFuture<LiveList> fresh() {
    Instant after = lastQuery.plus(timing.lease()).minus(timing.tick().multipliedBy(2));
    return store.liveAfter(after, lanes.of(worker)).thenApply(this::own);
  }

  private LiveList own(LiveList found) {
    lastQuery = found.readTime().isAfter(lastQuery) ? found.readTime() : lastQuery;
    List<Live> own = found.counters().stream().filter(this::isOwn).toList();
    return new LiveList(own, found.readTime());
  }

  private boolean isOwn(Live counter) {
    return counter
        .rollup()
        .lease()
        .filter(lease -> !counter.rollup().isForeign())
        .map(lease -> lanes.workerOf(lease.lane()) == worker)
        .orElse(false);
  }
}
