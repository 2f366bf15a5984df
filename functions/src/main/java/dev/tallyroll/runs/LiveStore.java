package dev.tallyroll.runs;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for a live list.
 *
 * @param <K> what an entry is about: a counter, or a document
 */
public interface LiveStore<K> {
  /**
   * Reads a part of the live list. Costs one read an entry, at least one. Entries that are not of
   * these functions are passed over; they are removed, for a delete each, when they are a day old.
   */
  CompletableFuture<LiveList<K>> live(WorkerRange range);

  /** Reads the entries of all parts made later than {@code since}. Costs as for a part. */
  CompletableFuture<LiveList<K>> liveSince(Instant since);

  /** Removes an entry if it is still at the version that was read. Costs one delete. */
  CompletableFuture<Void> remove(Listed<K> entry);

  /** An entry of the live list, at a version: its update time. */
  record Listed<K>(K key, Instant updateTime) {}

  /**
   * The answer to a query of the live list.
   *
   * @param readTime Firestore's time of the query: what was committed after it may be missing
   * @param cut whether entries were left out, since there are too many
   */
  record LiveList<K>(List<Listed<K>> entries, Instant readTime, boolean cut) {}
}
