package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Recent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Remembers each counter's number of shards for a minute, so that increments cost no read. An old
 * number does no harm: retired shards are still summed, and new ones are only used less. Calls that
 * come together share one read. Safe for use by many threads.
 */
final class KnownShards {
  static final Duration KEPT = Duration.ofMinutes(1);

  /** Bounds the memory: a new counter replaces the one that was used longest ago. */
  static final int MOST = 10_000;

  private record CachedCount(ApiFuture<Integer> shards, Instant readAt) {
    /** False also for a time in the future: the clock was set back. */
    boolean isFresh(Instant now) {
      return !now.isBefore(readAt) && now.isBefore(readAt.plus(KEPT));
    }
  }

  /** In the order of their last use. */
  private final Map<CounterPath, CachedCount> known = Recent.entries(MOST);

  private final InstantSource clock;

  KnownShards(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * @param read gives the number if it is not known
   */
  ApiFuture<Integer> of(CounterPath counter, Supplier<ApiFuture<Integer>> read) {
    CachedCount fresh = fresh(counter, read, clock.instant());
    return Steps.onFailure(
        fresh.shards(),
        failure -> {
          forget(counter, fresh);
          return ApiFutures.immediateFailedFuture(failure);
        });
  }

  private synchronized CachedCount fresh(
      CounterPath counter, Supplier<ApiFuture<Integer>> read, Instant now) {
    CachedCount found = known.get(counter);
    if (found != null && found.isFresh(now)) {
      return found;
    }
    CachedCount fresh = new CachedCount(read.get(), now);
    known.put(counter, fresh);
    return fresh;
  }

  synchronized void remember(CounterPath counter, int shards) {
    known.put(counter, new CachedCount(ApiFutures.immediateFuture(shards), clock.instant()));
  }

  synchronized void forget(CounterPath counter) {
    known.remove(counter);
  }

  private synchronized void forget(CounterPath counter, CachedCount failed) {
    known.remove(counter, failed);
  }
}
