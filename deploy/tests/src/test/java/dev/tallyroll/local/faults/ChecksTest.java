package dev.tallyroll.local.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tallyroll.local.faults.Checks.Change;
import dev.tallyroll.local.faults.Checks.Range;
import dev.tallyroll.local.faults.Checks.Seen;
import dev.tallyroll.local.faults.Checks.Standing;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each check passes right states and finds wrong ones. */
final class ChecksTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static List<Arguments> readings() {
    var five = List.of(change(5, 1, 2));
    var open = List.of(change(2, 0, 5));
    return List.of(
        argumentSet("right ones", five, List.of(seen(0, 0), seen(5, 5), seen(5, 20)), 0, 0),
        argumentSet("one twice", five, List.of(seen(5, 5), seen(5, 5)), 0, 0),
        argumentSet("a lost increment", five, List.of(seen(0, 20)), 1, 1),
        argumentSet("one that counted twice", five, List.of(seen(10, 20)), 1, 1),
        argumentSet("a total ahead of its time", five, List.of(seen(5, 0)), 1, 1),
        argumentSet("a time that goes back", List.of(), List.of(seen(0, 2), seen(0, 1)), 1, 1),
        argumentSet("two totals of one time", open, List.of(seen(0, 1), seen(2, 1)), 1, 1),
        argumentSet("a total that falls", open, List.of(seen(2, 1), seen(0, 2)), 1, 0));
  }

  /** The number of faults if a total must only rise, and if it may fall. */
  @ParameterizedTest
  @MethodSource("readings")
  void readings_areRightOrToldWithWhatIsWrong(
      List<Change> changes, List<Seen> seen, int ifRising, int ifNot) {
    assertThat(Checks.broken(changes, seen, true)).hasSize(ifRising);
    assertThat(Checks.broken(changes, seen, false)).hasSize(ifNot);
  }

  @Test
  void wrongTotal_isToldWithWhatWasExpected() {
    assertThat(Checks.broken(List.of(change(5, 1, 2)), List.of(seen(4, 20)), true))
        .containsExactly("expected a total of 5 as of 2026-01-01T00:00:20Z, found 4");
  }

  @Test
  void whatIsUnderWayOrNotYetVisible_isLeftOpen() {
    var underWay = List.of(change(5, 10, 30), change(-2, 10, 30));
    assertThat(Checks.possible(underWay, at(20))).isEqualTo(new Range(-2, 5));

    var justCommitted = List.of(change(5, 10, 10));
    assertThat(Checks.possible(justCommitted, at(11))).isEqualTo(new Range(0, 5));
    assertThat(Checks.possible(justCommitted, at(12))).isEqualTo(new Range(5, 5));
  }

  @Test
  void incrementOfUnknownOutcome_staysOpen() {
    var unknown = new Change(4, at(3), Instant.MAX);

    assertThat(Checks.possibleInTheEnd(List.of(change(1, 1, 2), unknown, change(-1, 5, 6))))
        .isEqualTo(new Range(0, 4));
  }

  private static List<Arguments> standings() {
    var none = OptionalLong.empty();
    var zero = OptionalLong.of(0);
    var four = OptionalLong.of(4);
    var five = OptionalLong.of(5);
    return List.of(
        arguments(five, five, 5, true, true),
        arguments(none, none, 0, true, true),
        arguments(four, five, 5, false, false),
        arguments(none, five, 5, false, false),
        arguments(zero, none, 0, false, false),
        arguments(four, four, 5, true, false));
  }

  @ParameterizedTest
  @MethodSource("standings")
  void standing_isSettledAndRightOrNot(
      OptionalLong rollup, OptionalLong sum, long expected, boolean settled, boolean right) {
    var range = new Range(expected, expected);
    var standing = new Standing(rollup, false, sum, range);

    assertThat(standing.isSettled()).isEqualTo(settled);
    assertThat(standing.broken().isEmpty()).isEqualTo(right);
    assertThat(new Standing(rollup, true, sum, range).isSettled()).isFalse();
  }

  private static Change change(long delta, int begun, int known) {
    return new Change(delta, at(begun), at(known));
  }

  private static Seen seen(long count, int second) {
    return new Seen(count, at(second));
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
