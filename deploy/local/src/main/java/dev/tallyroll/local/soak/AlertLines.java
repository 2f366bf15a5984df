package dev.tallyroll.local.soak;

import dev.tallyroll.local.LogMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the functions' log lines as the metrics of {@code deploy --monitoring} do, and tells which
 * alerts they raise: a line of a metric that alerts at once, or three minutes without the end of a
 * run. Thread-safe.
 */
final class AlertLines {
  private static final Duration LONGEST_WITHOUT_A_RUN = Duration.ofMinutes(3);
  private static final String RUNS = "runs";

  private final Map<String, Long> counted = new TreeMap<>();
  private Instant lastRun = Instant.now();
  private Duration longest = Duration.ZERO;

  /** Takes a line; lines of other programs are ignored. */
  synchronized void hear(String line, Instant now) {
    Map<String, Long> found = LogMetrics.counted(List.of(line));
    found.forEach((metric, lines) -> counted.merge(metric, lines, Long::sum));
    if (found.containsKey(RUNS)) {
      waited(now);
      lastRun = now;
    }
  }

  private void waited(Instant now) {
    Duration wait = Duration.between(lastRun, now);
    longest = wait.compareTo(longest) > 0 ? wait : longest;
  }

  /** A sentence for each alert. */
  synchronized List<String> raised(Instant now) {
    waited(now);
    List<String> raised = new ArrayList<>();
    counted.forEach(
        (metric, lines) -> {
          if (LogMetrics.AT_ONCE.contains(metric)) {
            raised.add("expected no line that %s counts, found %d".formatted(metric, lines));
          }
        });
    if (longest.compareTo(LONGEST_WITHOUT_A_RUN) > 0) {
      raised.add("expected the end of a run every three minutes, found none for " + longest);
    }
    return raised;
  }

  synchronized Map<String, Long> counted() {
    return new TreeMap<>(counted);
  }

  /** The longest time without the end of a run. */
  synchronized Duration longest() {
    return longest;
  }
}
