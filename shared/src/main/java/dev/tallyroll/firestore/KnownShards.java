package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import dev.tallyroll.CounterPath;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Remembers each counter's number of shards for a minute, so that increments cost no read. A number
 * that is too old does no harm: retired shards are still summed, and new ones are only less used.
 * Calls that come together share one read. Safe for use by many threads.
 */
final class KnownShards {
  static final Duration KEPT = Duration.ofMinutes(1);

  /** More would be a leak; when it is reached, all are forgotten, at a read for each in use. */
  static final int MOST = 10_000;

  private record Known(ApiFuture<Integer> shards, Instant readAt) {
    /** Not from the future either, in case the clock was set back. */
    boolean isFresh(Instant now) {
      return !now.isBefore(readAt) && now.isBefore(readAt.plus(KEPT));
    }
  }

  private final ConcurrentMap<CounterPath, Known> known = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private final Function<CounterPath, ApiFuture<Integer>> read;

  KnownShards(InstantSource clock, Function<CounterPath, ApiFuture<Integer>> read) {
    this.clock = clock;
    this.read = read;
  }

  ApiFuture<Integer> of(CounterPath counter) {
    Instant now = clock.instant();
    Known found = known.get(counter);
    if (found != null && found.isFresh(now)) {
      return found.shards();
    }
    makeRoom();
    Known fresh =
        known.compute(
            counter,
            (path, other) ->
                other != null && other.isFresh(now) ? other : new Known(read.apply(path), now));
    return Steps.onFailure(
        fresh.shards(),
        failure -> {
          known.remove(counter, fresh);
          return ApiFutures.immediateFailedFuture(failure);
        });
  }

  private void makeRoom() {
    if (known.size() >= MOST) {
      known.clear();
    }
  }

  void remember(CounterPath counter, int shards) {
    known.put(counter, new Known(ApiFutures.immediateFuture(shards), clock.instant()));
  }

  void forget(CounterPath counter) {
    known.remove(counter);
  }
}
