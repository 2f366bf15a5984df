package dev.tallyroll.protocol;

import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts a roller's work of about a minute, for its one line in the log. */
final class Summary {
  /** Lags are counted in steps of so many milliseconds. */
  private static final int STEP = 10;

  int live;
  int sums;
  int writes;
  int unchanged;
  int settled;
  int refused;
  int unusable;
  int foreign;
  long late;
  int cut;
  private int failed;
  private String cause = "";
  private final TreeMap<Long, Integer> lags = new TreeMap<>();
  private Duration oldestLease = Duration.ZERO;

  void failed(Throwable failure) {
    if (failed++ == 0) {
      cause = failure.toString();
    }
  }

  /** Notes how long a change has waited at most until its total was written. */
  void shown(Duration lag) {
    lags.merge(Math.max(0, lag.toMillis()) / STEP, 1, Integer::sum);
  }

  /** Notes a lease; if it has ended, nobody has settled it yet. */
  void holds(Instant liveUntil, Instant now) {
    Duration overdue = Duration.between(liveUntil, now);
    oldestLease = overdue.compareTo(oldestLease) > 0 ? overdue : oldestLease;
  }

  boolean isEmpty() {
    return sums + writes + unchanged + settled + refused + foreign + late + cut + failed == 0;
  }

  void write(StructuredLog log, int worker) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(StructuredLog.WORKER, worker);
    fields.put("live", live);
    fields.put("sums", sums);
    fields.put("writes", writes);
    fields.put("unchanged", unchanged);
    fields.put("settled", settled);
    fields.put("refused", refused);
    fields.put("unusable", unusable);
    fields.put("foreign", foreign);
    fields.put("late", late);
    fields.put("cut", cut);
    fields.put("failed", failed);
    fields.put("lag_p50_ms", lag(0.50));
    fields.put("lag_p99_ms", lag(0.99));
    fields.put("oldest_lease_ms", (int) Math.min(Integer.MAX_VALUE, oldestLease.toMillis()));
    if (failed > 0) {
      fields.put("cause", cause);
    }
    boolean worrying = failed > 0 || cut > 0;
    log.write(worrying ? Severity.WARNING : Severity.INFO, "summary", fields);
  }

  /** The upper end of the step below which this part of all lags is. */
  private int lag(double part) {
    long left = (long) Math.ceil(part * lags.values().stream().mapToInt(Integer::intValue).sum());
    for (var step : lags.entrySet()) {
      left -= step.getValue();
      if (left <= 0) {
        return (int) Math.min(Integer.MAX_VALUE, (step.getKey() + 1) * STEP);
      }
    }
    return 0; // nothing was shown
  }
}
