package dev.tallyroll.operator;

import dev.tallyroll.operator.Row.Answer;
import dev.tallyroll.operator.Row.Seen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a history shows.
 *
 * @param increments how many there are
 * @param versions how many totals were read that differ in their time
 * @param reads how many reads of the total there are
 * @param faults a line for each read that is not right
 * @param unknown of how many increments no read tells whether they showed in time
 * @param cold the lags of increments from before the functions had started
 * @param warm the lags of those after it
 */
record Verdict(
    int increments,
    int versions,
    int reads,
    List<String> faults,
    int unknown,
    List<Duration> cold,
    List<Duration> warm) {
  private static final int MOST_FAULTS = 20;

  Verdict {
    faults = List.copyOf(faults);
    cold = cold.stream().sorted().toList();
    warm = warm.stream().sorted().toList();
  }

  /** Whether all was read, and was right. */
  boolean isRight() {
    return faults.isEmpty() && unknown == 0;
  }

  /** The first faults. */
  List<String> firstFaults() {
    return faults.stream().limit(MOST_FAULTS).toList();
  }

  /** What was seen, and the judgement. */
  List<String> summary() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%d increments, %d versions of the total in %d reads"
            .formatted(increments, versions, reads));
    lag("cold", cold, lines);
    lag("warm", warm, lines);
    if (!faults.isEmpty()) {
      lines.add(faults.size() + " reads are not right");
    }
    if (unknown > 0) {
      lines.add("unknown: no read tells whether %d increments showed in time".formatted(unknown));
    }
    if (isRight()) {
      lines.add("right: no total that was read is wrong, goes back, or is late");
    }
    return lines;
  }

  /** The same, for a report. */
  Seen seen() {
    Answer unsaid = faults.isEmpty() ? Answer.UNKNOWN : Answer.NO;
    return new Seen(String.join("; ", summary()), isRight() ? Answer.YES : unsaid);
  }

  private static void lag(String name, List<Duration> lags, List<String> lines) {
    if (!lags.isEmpty()) {
      lines.add(
          "lag, %s: %d increments, p50 %d ms, p99 %d ms"
              .formatted(name, lags.size(), percentile(50, lags), percentile(99, lags)));
    }
  }

  private static long percentile(int percent, List<Duration> sorted) {
    return sorted.get((percent * sorted.size() + 99) / 100 - 1).toMillis();
  }
}
