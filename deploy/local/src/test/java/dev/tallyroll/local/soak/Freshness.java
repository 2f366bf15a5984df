package dev.tallyroll.local.soak;

import dev.tallyroll.local.soak.History.Change;
import dev.tallyroll.local.soak.History.Seen;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How long increments took from their commit until a reader had a total that covers them.
 * Immutable.
 *
 * @param lags sorted
 * @param never increments that no reader ever saw covered
 */
record Freshness(List<Duration> lags, int never) {
  Freshness {
    lags = lags.stream().sorted().toList();
  }

  /**
   * Of the increments that were committed in a stretch of time.
   *
   * @param seen what one reader saw, in its order
   */
  static Freshness of(List<Change> changes, List<Seen> seen, Instant from, Instant to) {
    var lags = new ArrayList<Duration>();
    int never = 0;
    var asOfs = seen.stream().map(Seen::asOf).toList();
    for (var change : changes) {
      if (change.known().isBefore(from) || change.known().isAfter(to)) {
        continue;
      }
      var covering = firstCovering(asOfs, seen, change.known());
      covering.ifPresent(found -> lags.add(lag(change, found)));
      never += covering.isPresent() ? 0 : 1;
    }
    return new Freshness(lags, never);
  }

  private static Optional<Seen> firstCovering(
      List<Instant> asOfs, List<Seen> seen, Instant committed) {
    int found = Collections.binarySearch(asOfs, committed, Comparator.naturalOrder());
    int index = found >= 0 ? found : -found - 1;
    return index < seen.size() ? Optional.of(seen.get(index)) : Optional.empty();
  }

  private static Duration lag(Change change, Seen covering) {
    var lag = Duration.between(change.known(), covering.at());
    return lag.isNegative() ? Duration.ZERO : lag;
  }

  Freshness plus(Freshness other) {
    var all = new ArrayList<>(lags);
    all.addAll(other.lags);
    return new Freshness(all, never + other.never);
  }

  /** Nearest rank. */
  Duration at(double share) {
    int rank = (int) Math.ceil(share * lags.size());
    return lags.isEmpty() ? Duration.ZERO : lags.get(Math.max(0, rank - 1));
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d increments: p50 %.2f s, p99 %.2f s, max %.2f s; never %d",
        lags.size(),
        at(0.5).toMillis() / 1e3,
        at(0.99).toMillis() / 1e3,
        at(1).toMillis() / 1e3,
        never);
  }
}
