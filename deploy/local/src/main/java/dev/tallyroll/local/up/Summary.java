package dev.tallyroll.local.up;

import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import dev.tallyroll.local.up.PageTotals.State;
import dev.tallyroll.local.up.PageTotals.Verdict;
import dev.tallyroll.operator.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the terminal says: a line now and then, and the outcome in the end.
 *
 * @param totals how many there were in the end
 * @param wrong a sentence for each total that is wrong, or if there is none where the settings
 *     look, but elsewhere
 * @param staying the fields that are left in their shards
 * @param demo the changes that the demo has made
 * @param operations the operations of the functions
 * @param faults without --faults, empty
 */
record Summary(
    int totals,
    List<String> wrong,
    List<String> staying,
    Demo demo,
    Operations operations,
    Optional<Faults> faults) {
  /** A live total is right about once a second. */
  private static final double LATE_SECONDS = 2;

  private static final int MOST_NAMED = 2;

  /**
   * @param leftOut changes that were not made, because the machine was too slow for the rate
   * @param backwards how often a reader saw a total, or its time, go back
   * @param lags empty if the demo changes documents
   */
  record Demo(long acknowledged, long failed, long leftOut, int backwards, Optional<Lags> lags) {
    static Demo of(Traffic traffic) {
      List<DemoCounter> counters = traffic.counters();
      return new Demo(
          traffic.acknowledged(),
          traffic.failed(),
          traffic.leftOut(),
          counters.stream().mapToInt(DemoCounter::backwards).sum(),
          Optional.of(counters.stream().flatMap(counter -> counter.lags().stream()).toList())
              .filter(lags -> counters.stream().allMatch(counter -> counter.source.onlyRises()))
              .map(Lags::of));
    }
  }

  /**
   * The counts of the faults.
   *
   * @param lasted the time during which faults were injected
   */
  record Faults(
      Duration lasted, Map<Occurrence, Long> happened, long lostMessages, List<Drift> drift) {
    /** In a shorter time, a kind may be missing by chance. */
    private static final Duration LONG_ENOUGH_FOR_EACH = Duration.ofSeconds(60);

    /** Whether each kind of fault has happened, so that right totals prove something. */
    boolean isTelling() {
      return lasted.compareTo(LONG_ENOUGH_FOR_EACH) < 0
          || Occurrence.neverHappened(happened).isEmpty();
    }

    private long count(Occurrence what) {
      return Objects.requireNonNullElse(happened.get(what), 0L);
    }

    @Override
    public String toString() {
      var missing = Occurrence.neverHappened(happened);
      var faults =
          Occurrence.FAULTS.stream()
              .map(fault -> "%-32s %d%n".formatted(fault, count(fault)))
              .collect(Collectors.joining());
      return """
          faults for %d s
          %skinds that never happened        %s
          deliveries tried again           %d (of %d events)
          messages that RollUp lost        %d
          drift corrected by the sweep     %d
          """
          .formatted(
              lasted.toSeconds(),
              faults,
              missing.isEmpty() ? "none" : missing,
              count(Occurrence.RETRIED),
              count(Occurrence.EVENT),
              lostMessages,
              drift.size());
    }
  }

  /**
   * @param outside where counters or shards are that do not count; empty for nowhere
   */
  static Summary of(
      List<State> states,
      String outside,
      Traffic traffic,
      Operations operations,
      Optional<Faults> faults) {
    List<String> wrong = new ArrayList<>();
    if (states.isEmpty() && !outside.isEmpty()) {
      wrong.add(outside);
    }
    for (State state : states) {
      if (!state.isSettled()) {
        wrong.add(
            "%s is %s, and should be %s"
                .formatted(
                    Printable.of(state.counter()), orNone(state.total()), orNone(state.exact())));
      }
    }
    for (DemoCounter counter : traffic.counters()) {
      String name = counter.source.name();
      Number exact = exact(states, name);
      if (!counter.source.onlyRises()) {
        continue; // what the functions count is what is there
      }
      if (exact == null ? counter.acknowledged() > 0 : exact.longValue() < counter.acknowledged()) {
        wrong.add(
            "%s: its shards hold %s, %d increments were acknowledged"
                .formatted(name, exact, counter.acknowledged()));
      }
    }
    return new Summary(
        states.size(),
        List.copyOf(wrong),
        staying(states).map(state -> Printable.of(state.counter())).toList(),
        Demo.of(traffic),
        operations,
        faults);
  }

  private static Stream<State> staying(List<State> states) {
    return states.stream().filter(state -> state.right() == Verdict.STAYS);
  }

  private static @Nullable Number exact(List<State> states, String name) {
    return states.stream()
        .filter(state -> state.counter().equals(name))
        .findFirst()
        .map(State::exact)
        .orElse(null);
  }

  boolean isRight() {
    return wrong.isEmpty() && demo.backwards() == 0 && faults.map(Faults::isTelling).orElse(true);
  }

  @Override
  public String toString() {
    String lines =
        faults.map(Faults::toString).orElse("") + "totals                   %d%n".formatted(totals);
    for (String sentence : wrong.isEmpty() ? List.of("none") : wrong) {
      lines += "wrong                    " + sentence + "\n";
    }
    if (!staying.isEmpty()) {
      lines +=
          "stays in shards          %s: FOLD_FIELDS leaves it out, or the document holds no number%n"
              .formatted(some(staying));
    }
    if (demo.acknowledged() == 0) {
      return lines;
    }
    return lines
        + String.format(
            Locale.ROOT,
            """
            changes acknowledged     %d (failed %d; not made, as this machine was too slow: %d)
            seen going backwards     %d
            %soperations/change        reads %.3f, sums %.3f, writes %.3f, deletes %.3f
            """,
            demo.acknowledged(),
            demo.failed(),
            demo.leftOut(),
            demo.backwards(),
            demo.lags().map("lag                      %s%n"::formatted).orElse(""),
            each(operations.reads()),
            each(operations.sums()),
            each(operations.writes()),
            each(operations.deletes()));
  }

  private double each(long operations) {
    return (double) operations / demo.acknowledged();
  }

  /**
   * The line on how many changes there were, and which totals are late or wrong.
   *
   * @param changes those of the demo; 0 if it makes none
   */
  static String line(Duration sinceStart, long changes, List<State> totals) {
    long staying = staying(totals).count();
    return "%d:%02d  %s%d total%s%s%s"
        .formatted(
            sinceStart.toMinutes(),
            sinceStart.toSecondsPart(),
            changes == 0 ? "" : changes + " changes, ",
            totals.size(),
            totals.size() == 1 ? "" : "s",
            staying == 0 ? "" : " (" + staying + " stays in shards)",
            totals.isEmpty()
                ? ""
                : ", " + late(totals.stream().filter(total -> !total.held()).toList()));
  }

  private static String late(List<State> totals) {
    List<State> latest =
        totals.stream()
            .filter(total -> total.lag() > 0)
            .sorted(Comparator.comparingDouble(State::lag).reversed())
            .toList();
    if (latest.isEmpty()) {
      return "all right";
    }
    List<State> late = latest.stream().filter(total -> total.lag() > LATE_SECONDS).toList();
    if (late.isEmpty()) {
      return "all at most " + behind(latest.get(0).lag());
    }
    return some(late.stream().map(Summary::named).toList());
  }

  private static String some(List<String> all) {
    String named = all.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    return all.size() > MOST_NAMED ? named + " and " + (all.size() - MOST_NAMED) + " more" : named;
  }

  private static String named(State counter) {
    return "%s %s: %s of %s"
        .formatted(
            Printable.of(counter.counter()),
            counter.right() == Verdict.NO ? "wrong" : behind(counter.lag()),
            orNone(counter.total()),
            orNone(counter.exact()));
  }

  private static Object orNone(@Nullable Number value) {
    return Objects.requireNonNullElse(value, "none");
  }

  private static String behind(double seconds) {
    return String.format(Locale.ROOT, "%.1f s behind", seconds);
  }
}
