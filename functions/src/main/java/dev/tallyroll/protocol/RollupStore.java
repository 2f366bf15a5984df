package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.LiveStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for roll-ups and the live list. If a future fails, its write may have been
 * applied or not.
 */
public interface RollupStore {

  /**
   * Where the counters are whose shards have a trigger, or else the polled ones. The live list of
   * this layout holds both.
   */
  Layout layout();

  /** Where polled counters are; empty for none. */
  Optional<Layout> polled();

  /** The live list of counters, polled ones included. */
  LiveStore<Located> liveList();

  /**
   * Whether a counter's total was made with the settings of this store, as an instance with others
   * must write nothing ({@link ConfirmedSettings}). Costs at most a read a minute for all counters
   * of a layout; fails if that fails.
   *
   * @param journal gets an error if not
   */
  CompletableFuture<Boolean> agree(Located counter, Journal journal);

  /** As above, of all counters: two reads a minute at most. */
  CompletableFuture<Boolean> agree(Journal journal);

  /** As above, by reads that begin now. */
  CompletableFuture<Boolean> agreeNow(Journal journal);

  /** Reads a roll-up strongly. Costs one document read. */
  CompletableFuture<Reading> read(Located counter);

  /**
   * Sums all shards of a counter at one time, outside any transaction, so that no increment waits.
   * Costs one read per 1,000 shards, or one per shard if shards are read one by one; if no document
   * has the count field, one or two more tell whether the counter was deleted; if no settings are
   * stored, the first sum that finds a shard costs a write and a read ({@link ConfirmedSettings}).
   *
   * @return a sum with a {@linkplain Sum#doubt doubt} if no shard was found, but the counter was
   *     not surely deleted
   */
  CompletableFuture<Sum> sum(Located counter);

  /**
   * As {@link #sum}, without the further reads: for a counter without a total that could be
   * removed.
   */
  CompletableFuture<Sum> quickSum(Located counter);

  /** Returns how long ago each shard of a counter was written. Costs one read per shard. */
  CompletableFuture<List<Duration>> agesOfShards(Located counter);

  /**
   * Writes a roll-up at the version that was read, and in the same commit its entry in the live
   * list. Costs one write or delete, and one more if the entry changes.
   *
   * @return the new update time; empty if the comparison failed and nothing was written
   */
  CompletableFuture<Optional<Instant>> write(Located counter, Change change);

  /**
   * Whether the counter's own document shows this total, or need not show it, since the document is
   * missing, something else is in the field's place, or TOTAL_FIELD is not set ({@link
   * TotalField}).
   */
  default CompletableFuture<Boolean> shows(Located counter, Total total) {
    return CompletableFuture.completedFuture(true);
  }

  /**
   * Lists documents of a group in the order of their paths. It reads only their paths, since
   * anybody may have filled their fields. Costs one read each, at least one. Of polled counters it
   * lists those that have a shard, whether their own documents are there or not. If only polled
   * counters have totals, an instance's first page of them costs one read more for each roll-up.
   *
   * @param after path of the last document of the page before; empty for the first page
   */
  CompletableFuture<Page> page(Group group, String after, int limit);

  /**
   * Whether no page of a group can begin after a document: a stored place is damaged, or was stored
   * with other settings.
   */
  boolean isElsewhere(Group group, String path);

  /** A group of documents that is read by pages. */
  enum Group {
    ROLLUPS,
    COUNTERS,
    /** The roll-ups of polled counters, where they are not among the others. */
    POLLED_ROLLUPS,
    POLLED
  }

  /**
   * A page of a group.
   *
   * @param counters the counters whose places the documents are in; documents in other places are
   *     left out
   * @param looked how many documents there were
   * @param last path of the last document; empty if there are no more
   */
  record Page(List<Located> counters, int looked, String last) {}

  /**
   * A read of a roll-up's place, which may hold nothing, or a foreign document.
   *
   * @param otherMark the mark of a foreign document, if it is a path
   * @param readTime Firestore's time of the read
   */
  record Reading(Optional<Rollup> rollup, Optional<String> otherMark, Instant readTime) {
    /** A read that has found no foreign mark. */
    public Reading(Optional<Rollup> rollup, Instant readTime) {
      this(rollup, Optional.empty(), readTime);
    }
  }
}
