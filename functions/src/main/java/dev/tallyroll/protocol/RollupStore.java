package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * What the protocol needs of Firestore for roll-ups. Futures complete on the protocol's event loop;
 * one that fails leaves open whether its write was applied.
 */
public interface RollupStore {

  /** Where counters and their roll-ups are. */
  Layout layout();

  /** Reads a roll-up strongly. Costs one document read. */
  CompletableFuture<Reading> read(CounterPath counter);

  /**
   * Sums all shards of a counter at one time, outside any transaction, so that no increment waits.
   * Costs one read per 1,000 shards, or one per shard if shards are read one by one.
   */
  CompletableFuture<Sum> sum(CounterPath counter);

  /**
   * Writes a roll-up if it is still what was read. Costs one write or delete.
   *
   * @return the new update time; empty if the comparison failed and nothing was written
   */
  CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change);

  /** Lists all live counters, of all lanes. Costs one read each, at least one. */
  CompletableFuture<LiveList> live();

  /**
   * Lists the counters in some lanes whose lease ends later than {@code after}. Costs one read
   * each, at least one per 30 lanes.
   */
  CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes);

  /**
   * Lists documents in the order of their paths. Costs one read each, at least one.
   *
   * @param after path of the last document of the page before; empty for the first page
   */
  CompletableFuture<Page> page(Group group, String after, int limit);

  /** What can be paged through, wherever in the database it is nested. */
  enum Group {
    ROLLUPS,
    COUNTERS
  }

  /**
   * A page of a group.
   *
   * @param counters those that the documents belong to, with the roll-up if it is a page of those
   * @param last path of the last document; empty if there are no more
   */
  record Page(List<Found> counters, String last) {}

  /** A counter that was found by one of its documents. */
  record Found(CounterPath counter, Optional<Rollup> rollup) {}

  /**
   * What was read in a roll-up's place, which may be nothing, or somebody else's document, and
   * Firestore's time of the read.
   */
  record Reading(Optional<Rollup> rollup, Instant readTime) {}

  /** A counter and what is in its roll-up's place, with fields of a lease, whoever's it is. */
  record Live(CounterPath counter, Rollup rollup) {}

  /**
   * Live counters.
   *
   * @param readTime Firestore's time of the queries that found them, the earliest of several: what
   *     committed after it may be missing
   */
  record LiveList(List<Live> counters, Instant readTime) {
    /** Both together. */
    public LiveList and(LiveList other) {
      return new LiveList(
          Stream.concat(counters.stream(), other.counters.stream()).toList(),
          readTime.isBefore(other.readTime) ? readTime : other.readTime);
    }
  }
}
