package dev.tallyroll.protocol;

import dev.tallyroll.internal.Sum;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls of Firestore for counters' shards. */
public interface ShardSummer {
  /**
   * Sums all shards of a counter at one time, outside any transaction, so that no increment waits.
   * Costs one read per 1,000 shards, or one per shard if shards are read one by one.
   */
  CompletableFuture<Sum> sum(CounterId counter);

  /**
   * As {@link #sum}; a sum over no shard says {@linkplain Sum#remains what is there of the
   * counter}, as its total may go. That costs one read after the sum, and one more where totals are
   * shown in counters' own documents and that of the counter has gone.
   */
  CompletableFuture<Sum> sumOrRemains(CounterId counter);

  /**
   * Counts the documents that a sum has passed over, since they hold no number in the summed field.
   * Costs one read per 1,000 documents; if some do not count, up to 102 more. Empty, too, if all of
   * them lack the field and none is among the first hundred, or the field has no index.
   *
   * @param sum of a moment ago
   */
  CompletableFuture<Optional<Uncounted>> uncounted(CounterId counter, Sum sum);

  /**
   * Documents that do not count.
   *
   * @param number how many, give or take those that come and go
   * @param one the path of one of them
   */
  record Uncounted(long number, String one) {}

  /**
   * Returns how long ago each shard of a counter was written; nothing of documents of users'. Costs
   * one read per shard, and one.
   */
  CompletableFuture<List<Duration>> agesOfShards(CounterId counter);
}
