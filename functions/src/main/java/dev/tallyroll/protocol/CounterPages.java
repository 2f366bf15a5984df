package dev.tallyroll.protocol;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The calls of Firestore that list counters. */
public interface CounterPages {
  /**
   * Lists documents of a group of an entry, in the order of their paths. It reads only their paths,
   * since anybody may have filled their fields. Costs one read each, at least one. Of {@link
   * Group#WITH_SHARDS}, an instance's first page costs one read more for each roll-up.
   *
   * @param after path of the last document of the page before; empty for the first page
   */
  CompletableFuture<CounterPage> page(Entry entry, Group group, String after, int limit);

  /**
   * Whether a page of a group can begin after a document. It cannot if a stored place is damaged,
   * or was stored with other settings.
   */
  boolean canBeginAfter(Entry entry, Group group, String path);

  /** A group of an entry's documents that is read by pages. */
  enum Group {
    ROLLUPS,
    COUNTERS,
    /**
     * Counters that have a shard, whether their own documents are there or not; and once more each
     * that had one when this instance listed it last, or has a roll-up. The pattern must have no
     * variables.
     */
    WITH_SHARDS
  }

  /**
   * A page of a group.
   *
   * @param counters the counters whose places the documents are in; documents in other places are
   *     left out
   * @param looked how many documents there were
   * @param last path of the last document; empty if there are no more
   */
  record CounterPage(List<CounterId> counters, int looked, String last) {}
}
