package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The leases that this instance has seen, for the counters it saw last.
 *
 * <p>A lease once seen stands for ever: it is only dropped by a sum that was read after its end, so
 * that it covers every write up to its end, however long ago. Forgetting one costs a read.
 */
final class KnownLeases {
  private static final int CAPACITY = 10_000;

  private final Map<CounterPath, Instant> ends =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<CounterPath, Instant> eldest) {
          return size() > CAPACITY;
        }
      };

  void remember(CounterPath counter, Optional<Lease> lease) {
    lease.ifPresent(seen -> ends.merge(counter, seen.until(), (a, b) -> a.isAfter(b) ? a : b));
  }

  boolean covers(CounterPath counter, Optional<Instant> committed) {
    Instant end = ends.get(counter);
    return end != null && committed.isPresent() && Coverage.byLease(end, committed.get());
  }
}
