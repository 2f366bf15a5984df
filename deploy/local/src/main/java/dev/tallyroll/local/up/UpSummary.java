package dev.tallyroll.local.up;

import dev.tallyroll.local.Operations;
import dev.tallyroll.local.up.Totals.State;
import dev.tallyroll.local.up.Totals.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The outcome of a run.
 *
 * @param counters how many counters there were at the end
 * @param wrong a sentence for each counter whose total is wrong
 * @param acknowledged increments of the demo; the next four parameters are about these
 * @param leftOut increments that were not sent, because the machine was too slow for the rate
 * @param backwards how often a reader saw a total, or its time, go back
 * @param operations the operations of the functions
 */
record UpSummary(
    int counters,
    List<String> wrong,
    long acknowledged,
    long failed,
    long leftOut,
    int backwards,
    Lags lags,
    Operations operations) {

  static UpSummary of(List<State> states, Traffic traffic, Operations operations) {
    List<DemoCounter> demo = traffic.counters();
    Map<String, State> found = new TreeMap<>();
    states.forEach(state -> found.put(state.counter(), state));
    List<String> wrong = new ArrayList<>();
    for (State state : states) {
      if (state.right() != Verdict.YES) {
        wrong.add(
            "%s says %s, its shards hold %s"
                .formatted(StatusLine.printable(state.counter()), state.total(), state.exact()));
      }
    }
    for (DemoCounter counter : demo) {
      long least = counter.acknowledged();
      State state = found.get(counter.source.name());
      Number exact = state == null ? null : state.exact();
      if (exact == null ? least > 0 : exact.longValue() < least) {
        wrong.add(
            "%s: its shards hold %s, %d increments were acknowledged"
                .formatted(counter.source.name(), exact, least));
      }
    }
    return new UpSummary(
        states.size(),
        List.copyOf(wrong),
        traffic.acknowledged(),
        traffic.failed(),
        traffic.leftOut(),
        demo.stream().mapToInt(DemoCounter::backwards).sum(),
        Lags.of(demo.stream().flatMap(counter -> counter.lags().stream()).toList()),
        operations);
  }

  boolean isRight() {
    return wrong.isEmpty() && backwards == 0;
  }

  @Override
  public String toString() {
    String lines = "counters                 %d%n".formatted(counters);
    for (String sentence : wrong) {
      lines += "wrong                    " + sentence + "\n";
    }
    lines += wrong.isEmpty() ? "wrong                    none\n" : "";
    if (acknowledged == 0) {
      return lines;
    }
    return lines
        + String.format(
            Locale.ROOT,
            """
            increments acknowledged  %d (failed %d, left out %d)
            seen going backwards     %d
            lag                      %s
            operations/increment     reads %.3f, sums %.3f, writes %.3f, deletes %.3f
            """,
            acknowledged,
            failed,
            leftOut,
            backwards,
            lags,
            per(operations.reads()),
            per(operations.sums()),
            per(operations.writes()),
            per(operations.deletes()));
  }

  private double per(long operations) {
    return (double) operations / Math.max(1, acknowledged);
  }
}
