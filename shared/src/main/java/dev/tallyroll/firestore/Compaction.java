package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.ShardList.Shard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which retired shards can go, and what they add up to. One batch moves their sum into a shard that
 * is in use, and deletes each of them at the version that was read: so the batch is carried out at
 * most once, and loses no increment. Immutable.
 *
 * @param shards to be deleted
 * @param total of their counts
 * @param left how many retired shards stay
 */
record Compaction(List<Shard> shards, Total total, int left) {
  /** From here on, a double may stand for several integers. */
  private static final double EXACT = 0x1p53;

  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,8}");

  /** Completes with how many retired shards are left. */
  static ApiFuture<Integer> run(CounterDocuments documents, Duration unwritten) {
    return ShardList.attempt(
        documents,
        (head, list) -> Compaction.of(list, head.shards(), unwritten).carryOut(documents, head));
  }

  /**
   * @param inUse the number of shards; those with a number from there on are retired
   */
  static Compaction of(ShardList list, int inUse, Duration unwritten) {
    List<Shard> retired =
        list.shards().stream().filter(shard -> isRetired(shard.id(), inUse)).toList();
    Instant latest = list.readTime().minus(unwritten);
    List<Shard> quiet =
        retired.stream()
            .filter(shard -> !shard.version().isAfter(latest))
            .filter(shard -> !(shard.count() instanceof Double count && !Double.isFinite(count)))
            .toList();
    Total total = integral(Total.add(quiet.stream().map(Shard::count).toList()));
    return total.isUsable()
        ? new Compaction(quiet, total, retired.size() - quiet.size())
        : new Compaction(List.of(), new Total.Whole(0), retired.size());
  }

  /** An integer where there is one, since a shard that gets a double is one for good. */
  private static Total integral(Total total) {
    double value = total.doubleValue();
    return Math.rint(value) == value && Math.abs(value) <= EXACT
        ? new Total.Whole(total.longValue())
        : total;
  }

  private static boolean isRetired(String id, int inUse) {
    return NUMBER.matcher(id).matches() && Integer.parseInt(id) >= inUse;
  }

  private ApiFuture<Optional<Integer>> carryOut(CounterDocuments documents, CounterHead head) {
    if (shards.isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(left));
    }
    WriteBatch batch = documents.batch();
    // Without this check, a shard that a resize has just put in use again could be deleted.
    head.keep(batch, documents.document());
    for (Shard shard : shards) {
      batch.delete(documents.shard(shard), shard.asRead());
    }
    if (total.doubleValue() != 0) {
      documents.incrementOrCreate(batch, documents.randomShard(head.shards()), total.number());
    }
    return Steps.then(Steps.commit(batch), written -> written.map(results -> left));
  }
}
