package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts a roller's work of about a minute, for its one line in the log. */
final class Summary {
  /** Lags are counted by steps of so many milliseconds, up to a minute. */
  private static final int STEP = 10;

  private static final int STEPS = 6_000;

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
  private final int[] lags = new int[STEPS + 1];
  private int measured;
  private Duration oldestLease = Duration.ZERO;

  void failed(Throwable failure) {
    if (failed++ == 0) {
      cause = failure.toString();
    }
  }

  /** A change has waited for so long at the most until its total was written. */
  void shown(Duration lag) {
    lags[(int) Math.min(STEPS, Math.max(0, lag.toMillis()) / STEP)]++;
    measured++;
  }

  /** A lease that ended in the past, and that nobody has settled yet. */
  void holds(Instant liveUntil, Instant now) {
    Duration overdue = Duration.between(liveUntil, now);
    oldestLease = overdue.compareTo(oldestLease) > 0 ? overdue : oldestLease;
  }

  boolean isEmpty() {
    return sums + writes + unchanged + settled + refused + foreign + late + cut + failed == 0;
  }

  void write(Journal journal, int worker) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(Journal.WORKER, worker);
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
    journal.write(worrying ? Severity.WARNING : Severity.INFO, "summary", fields);
  }

  /** The upper end of the step that this part of all lags is below; 0 if there was none. */
  private int lag(double part) {
    long wanted = (long) Math.ceil(part * measured);
    int step = 0;
    for (long below = 0; below < wanted; step++) {
      below += lags[step];
    }
    return step * STEP;
  }
}
