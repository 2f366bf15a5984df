package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What this instance knows of the counters it saw last. Used on the event loop only.
 *
 * <p>Up to when a counter's writes are covered, by the latest lease or total that was read or
 * written: that never goes stale, as a lease is only ever dropped by a sum that was read after its
 * end. And the roll-up as it was last, whose version a compare-and-set may expect without reading
 * it first: that does go stale, and is then refused. Forgetting costs a read.
 */
final class KnownCounters {
  private static final int CAPACITY = 10_000;

  /**
   * What is known of one counter.
   *
   * @param covered writes that committed until then need nothing more
   * @param last the roll-up as this instance has read or written it last
   * @param trusted whether that was still true when it was last put to the test
   */
  record Known(Instant covered, Optional<Rollup> last, boolean trusted) {
    static final Known NOTHING = new Known(Instant.MIN, Optional.empty(), true);

    boolean covers(Optional<Instant> committed) {
      return committed.map(time -> !covered.isBefore(time)).orElse(false);
    }

    /** The roll-up as it probably is; one with a lease is about to be written by the roller. */
    Optional<Rollup> probable() {
      return last.filter(rollup -> trusted && rollup.lease().isEmpty());
    }

    Known read(Rollup rollup, Duration slack) {
      boolean same = last.filter(it -> it.updateTime().equals(rollup.updateTime())).isPresent();
      return seen(Optional.of(rollup), same || trusted, slack);
    }

    /** This instance has written it; empty if it has deleted it. */
    Known wrote(Optional<Rollup> rollup, Duration slack) {
      return seen(rollup, trusted, slack);
    }

    /** Others write it too, so it is read first until nobody else does. */
    Known refused() {
      return new Known(covered, last, false);
    }

    private Known seen(Optional<Rollup> rollup, boolean trust, Duration slack) {
      Instant until = rollup.map(it -> Coverage.until(it, slack)).orElse(Instant.MIN);
      return new Known(until.isAfter(covered) ? until : covered, rollup, trust);
    }
  }

  private final Duration slack;
  private final Map<CounterPath, Known> counters =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<CounterPath, Known> eldest) {
          return size() > CAPACITY;
        }
      };

  KnownCounters(Duration slack) {
    this.slack = slack;
  }

  Known of(CounterPath counter) {
    Known known = counters.get(counter);
    return known == null ? Known.NOTHING : known;
  }

  void read(CounterPath counter, Rollup rollup) {
    counters.put(counter, of(counter).read(rollup, slack));
  }

  void wrote(CounterPath counter, Optional<Rollup> rollup) {
    counters.put(counter, of(counter).wrote(rollup, slack));
  }

  void refused(CounterPath counter) {
    counters.put(counter, of(counter).refused());
  }
}
