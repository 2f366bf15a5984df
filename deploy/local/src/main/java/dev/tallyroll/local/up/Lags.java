package dev.tallyroll.local.up;

import com.google.common.math.Quantiles;
import java.util.List;
import java.util.Locale;

/** The distribution of lags, in seconds. */
record Lags(double p50, double p99, double max) {

  static Lags of(List<Long> nanos) {
    return new Lags(seconds(nanos, 50), seconds(nanos, 99), seconds(nanos, 100));
  }

  private static double seconds(List<Long> nanos, int percentile) {
    return nanos.isEmpty() ? 0 : Quantiles.percentiles().index(percentile).compute(nanos) / 1e9;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "p50 %.2f s, p99 %.2f s, max %.2f s", p50, p99, max);
  }
}
