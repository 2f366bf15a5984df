package dev.tallyroll;

/** How shards are summed. */
public enum SumMode {
  /** Firestore sums, from the index on the count field: one read per 1,000 shards. */
  AGGREGATE,
  /**
   * By reading each shard: one read a shard, with the count field exempted from indexing. For
   * single counters above a few hundred increments a second, whose index would be a hot spot.
   */
  DOCUMENTS
}
