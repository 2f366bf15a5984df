package dev.tallyroll.local.up;

import java.util.List;
import java.util.Locale;

/** The distribution of lags, in seconds. */
record Lags(int count, double p50, double p99, double max) {
  private static final double NANOS = 1e9;

  static Lags of(List<Long> nanos) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return new Lags(sorted.size(), at(sorted, 0.50), at(sorted, 0.99), at(sorted, 1.0));
  }

  /** The percentile by the method of the nearest rank. */
  private static double at(List<Long> sorted, double share) {
    if (sorted.isEmpty()) {
      return 0;
    }
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.get(Math.max(0, rank - 1)) / NANOS;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "p50 %.2f s, p99 %.2f s, max %.2f s", p50, p99, max);
  }
}
