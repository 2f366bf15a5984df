package dev.tallyroll;

/** How shards are summed. */
public enum SumMode {
  /** Firestore sums, from the index on the count field: one read per 1,000 shards. */
  AGGREGATE,
  /**
   * The functions read each shard: one read a shard. The count field is exempted from indexing: for
   * counters above a few hundred increments a second, whose index would be a hot spot.
   */
  DOCUMENTS
}
