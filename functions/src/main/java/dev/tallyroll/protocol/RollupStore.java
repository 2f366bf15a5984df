package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for roll-ups and the live list. A future that fails leaves open whether
 * its write was applied.
 */
public interface RollupStore {

  /** Where counters and their roll-ups are. */
  Layout layout();

  /** Reads a roll-up strongly. Costs one document read. */
  CompletableFuture<Reading> read(CounterPath counter);

  /**
   * Sums all shards of a counter at one time, outside any transaction, so that no increment waits.
   * Costs one read per 1,000 shards, or one per shard if shards are read one by one; one or two
   * more if no document has the count field, which tell whether the counter has gone.
   *
   * @return {@link Sum#misplaced} if it has not
   */
  CompletableFuture<Sum> sum(CounterPath counter);

  /** As {@link #sum}, without a closer look: for a counter that has no total to be removed. */
  CompletableFuture<Sum> quickSum(CounterPath counter);

  /** Gives how long ago each shard of a counter was written. Costs one read per shard. */
  CompletableFuture<List<Duration>> agesOfShards(CounterPath counter);

  /**
   * Writes a roll-up if it is still what was read, and with it the live list, and the field that
   * TOTAL_FIELD names. Costs one write or delete, one more where the list changes, and one for the
   * field.
   *
   * @return the new update time; empty if the comparison failed and nothing was written
   */
  CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change);

  /**
   * Whether the counter's own document shows this total, or need not show any: it is not there, or
   * TOTAL_FIELD is not set. Costs one read with TOTAL_FIELD, else nothing.
   */
  CompletableFuture<Boolean> shows(CounterPath counter, Total total);

  /** Reads a part of the live list. Costs one read an entry, at least one. */
  CompletableFuture<LiveList> live(Part part);

  /** Reads the entries of all parts made later than {@code since}. Costs as for a part. */
  CompletableFuture<LiveList> liveSince(Instant since);

  /** Removes an entry if it is still what was read. Costs one delete. */
  CompletableFuture<Void> remove(Entry entry);

  /**
   * Lists documents on our own ground in the order of their paths, by their paths alone: anybody
   * may have filled their fields. Costs one read each, at least one.
   *
   * @param after path of the last document of the page before; empty for the first page
   */
  CompletableFuture<Page> page(Group group, String after, int limit);

  /** A group of documents that the sweep pages through. */
  enum Group {
    ROLLUPS,
    COUNTERS
  }

  /**
   * A page of a group.
   *
   * @param counters those in whose places the documents are; documents in other places are left out
   * @param looked how many documents there were
   * @param last path of the last document; empty if there are no more
   */
  record Page(List<CounterPath> counters, int looked, String last) {}

  /**
   * A read of a roll-up's place, which may hold nothing, or somebody else's document.
   *
   * @param otherMark the mark that a document of others carries, if it is a path
   * @param readTime Firestore's time of the read
   */
  record Reading(Optional<Rollup> rollup, Optional<String> otherMark, Instant readTime) {
    /** A read that has found no mark of others. */
    public Reading(Optional<Rollup> rollup, Instant readTime) {
      this(rollup, Optional.empty(), readTime);
    }
  }

  /** An entry of the live list, at a version: its update time. */
  record Entry(CounterPath counter, Instant updateTime) {}

  /**
   * The answer to a query of the live list.
   *
   * @param readTime Firestore's time of the query: what was committed after it may be missing
   * @param cut whether there are more, which were left out
   */
  record LiveList(List<Entry> entries, Instant readTime, boolean cut) {}
}
