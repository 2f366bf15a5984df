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
   * @param liveUntil the latest end of a lease that has made it live
   * @param latest when the latest write committed whose event was seen
   * @param last the roll-up as this instance has read or written it last
   * @param changed when its total changed last; the settling of a lease often changes nothing
   * @param trusted whether that was still true when it was last put to the test
   */
  record Known(
      Instant covered,
      Instant liveUntil,
      Instant latest,
      Optional<Rollup> last,
      Instant changed,
      boolean trusted) {
    static final Known NOTHING =
        new Known(Instant.MIN, Instant.MIN, Instant.MIN, Optional.empty(), Instant.MIN, true);

    /**
     * Whether a write closer than {@code tick} to another was seen. Late events may all be in the
     * total already, so that no roll-up tells of the burst.
     */
    boolean isBurst(Instant committed, Duration tick) {
      return !committed.equals(latest) // the same event again, or another of the same batch
          && !latest.equals(Instant.MIN)
          && Duration.between(latest, committed).abs().compareTo(tick) < 0;
    }

    boolean covers(Commits commits) {
      return commits
          .latest()
          .map(time -> !covered.isBefore(time) && (!commits.burst() || !liveUntil.isBefore(time)))
          .orElse(false);
    }

    /** The event of a write was seen. */
    Known seen(Instant committed) {
      return new Known(covered, liveUntil, later(latest, committed), last, changed, trusted);
    }

    /** The roll-up as it probably is; one with a lease is about to be written by the roller. */
    Optional<Rollup> probable() {
      return last.filter(rollup -> trusted && rollup.lease().isEmpty());
    }

    Known read(Rollup rollup, Duration slack) {
      boolean same = last.filter(it -> it.updateTime().equals(rollup.updateTime())).isPresent();
      return with(Optional.of(rollup), same || trusted, slack);
    }

    /** This instance has written it; empty if it has deleted it. */
    Known wrote(Optional<Rollup> rollup, Duration slack) {
      return with(rollup, trusted, slack);
    }

    /** Others write it too, so it is read first until nobody else does. */
    Known refused() {
      return new Known(covered, liveUntil, latest, last, changed, false);
    }

    private Known with(Optional<Rollup> rollup, boolean trust, Duration slack) {
      Instant until = rollup.map(it -> Coverage.until(it, slack)).orElse(Instant.MIN);
      Instant live = rollup.map(Coverage::liveUntil).orElse(Instant.MIN);
      Instant change = rollup.map(it -> isNews(it) ? it.updateTime() : changed).orElse(Instant.MIN);
      return new Known(
          later(covered, until), later(liveUntil, live), latest, rollup, change, trust);
    }

    private boolean isNews(Rollup rollup) {
      return last.filter(it -> !rollup.sum().differsFrom(it)).isEmpty();
    }

    private static Instant later(Instant one, Instant other) {
      return one.isAfter(other) ? one : other;
    }
  }

  private final Duration tick;
  private final Duration slack;
  private final Map<CounterPath, Known> counters =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<CounterPath, Known> eldest) {
          return size() > CAPACITY;
        }
      };

  KnownCounters(Timing timing) {
    this.tick = timing.tick();
    this.slack = timing.slack();
  }

  Known of(CounterPath counter) {
    Known known = counters.get(counter);
    return known == null ? Known.NOTHING : known;
  }

  /** Takes note of a write whose event was seen; a delete does not tell when it was. */
  Commits seen(CounterPath counter, Optional<Instant> committed) {
    Known known = of(counter);
    committed.ifPresent(time -> counters.put(counter, known.seen(time)));
    return new Commits(committed, committed.map(time -> known.isBurst(time, tick)).orElse(false));
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
