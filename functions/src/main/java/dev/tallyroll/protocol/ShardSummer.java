package dev.tallyroll.protocol;

import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Sum;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The calls of Firestore for counters' shards. */
public interface ShardSummer {
  /**
   * Sums all shards of a counter at one time, outside any transaction, so that no increment waits.
   * Costs one read per 1,000 shards, or one per shard if shards are read one by one; if no document
   * has the count field, one or two more tell whether the counter was deleted, and one where totals
   * are shown in counters' own documents; if no settings are stored, the first sum that finds a
   * shard costs a write and a read ({@link ConfirmedSettings}).
   *
   * @return a sum with a {@linkplain Sum#doubt doubt} if no shard was found, but the counter was
   *     not surely deleted
   */
  CompletableFuture<Sum> confirmedSum(Located counter);

  /**
   * As {@link #confirmedSum}, without the further reads: for a counter without a total that could
   * be removed.
   */
  CompletableFuture<Sum> sum(Located counter);

  /**
   * As {@link #confirmedSum}, of a counter whose total is over no shard already: as long as its own
   * document is there, that total stays, and only this is read.
   */
  CompletableFuture<Sum> sumOfEmptied(Located counter);

  /**
   * Returns how long ago each shard of a counter was written; nothing of documents of users'. Costs
   * one read per shard, and one.
   */
  CompletableFuture<List<Duration>> agesOfShards(Located counter);
}
