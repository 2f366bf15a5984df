package dev.tallyroll.local.up;

import dev.tallyroll.local.up.Totals.State;
import dev.tallyroll.local.up.Totals.Verdict;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** The line of the terminal that says how much was counted, and which totals are late or wrong. */
final class StatusLine {
  /** A live total is right about once a second. */
  private static final double LATE_SECONDS = 2;

  private static final int MOST_NAMED = 2;

  private StatusLine() {}

  /**
   * @param increments those of the demo; 0 if it makes none
   */
  static String of(Duration sinceStart, long increments, List<State> counters) {
    return "%d:%02d  %s%d counter%s, %s"
        .formatted(
            sinceStart.toMinutes(),
            sinceStart.toSecondsPart(),
            increments == 0 ? "" : increments + " increments, ",
            counters.size(),
            counters.size() == 1 ? "" : "s",
            totals(counters.stream().filter(counter -> !counter.held()).toList()));
  }

  private static String totals(List<State> counters) {
    List<State> latest =
        counters.stream()
            .filter(counter -> counter.lag() > 0)
            .sorted(Comparator.comparingDouble(State::lag).reversed())
            .toList();
    if (latest.isEmpty()) {
      return "all totals right";
    }
    List<State> late = latest.stream().filter(it -> it.lag() > LATE_SECONDS).toList();
    if (late.isEmpty()) {
      return "all totals at most " + behind(latest.get(0).lag());
    }
    String named =
        late.stream().limit(MOST_NAMED).map(StatusLine::named).collect(Collectors.joining(", "));
    return late.size() > MOST_NAMED
        ? named + " and " + (late.size() - MOST_NAMED) + " more"
        : named;
  }

  private static String named(State counter) {
    return "%s %s: %s of %s"
        .formatted(
            printable(counter.counter()),
            counter.right() == Verdict.NO ? "wrong" : behind(counter.lag()),
            Objects.requireNonNullElse(counter.total(), "none"),
            Objects.requireNonNullElse(counter.exact(), "none"));
  }

  private static String behind(double seconds) {
    return String.format(Locale.ROOT, "%.1f s behind", seconds);
  }

  /** Shows control characters by numbers, because an id could move the cursor or end a line. */
  static String printable(String id) {
    return id.codePoints()
        .mapToObj(
            each ->
                Character.isISOControl(each)
                    ? String.format(Locale.ROOT, "\\u%04x", each)
                    : Character.toString(each))
        .collect(Collectors.joining());
  }
}
