package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tallyroll.local.soak.Checks.Change;
import dev.tallyroll.local.soak.Checks.Range;
import dev.tallyroll.local.soak.Checks.Seen;
import dev.tallyroll.local.soak.Checks.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The options are taken; each check passes what is right, and finds what is wrong. */
final class SoakTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void allOptions_areTaken() {
    var soak = parse("--minutes 7 --counters=20 --rate 5 --drop-minutes 10 --seed=3");

    assertThat(List.of(soak.minutes, soak.counters, soak.perSecond, soak.dropMinutes, soak.seed))
        .containsExactly(7, 20, 5, 10, 3);
  }

  @Test
  void outOfRange_isRefused() {
    assertThatThrownBy(parse("--counters 9")::validate)
        .hasMessage("--counters: expected a whole number from 10 to 10000; found '9'");
  }

  private static Soak parse(String arguments) {
    return CommandLine.populateCommand(new Soak(), arguments.split(" "));
  }

  private static Stream<Arguments> readings() {
    var changes = List.of(change(5, 1, 2), change(3, 10, 11));
    return Stream.of(
        arguments("right ones", changes, List.of(seen(0, 0), seen(5, 5), seen(8, 20)), List.of()),
        arguments("one twice", changes, List.of(seen(5, 5), seen(5, 5)), List.of()),
        arguments(
            "a lost increment",
            changes,
            List.of(seen(5, 20)),
            List.of("expected a total of 8 as of 2026-01-01T00:00:20Z, found 5")),
        arguments(
            "an increment that counted twice",
            List.of(change(5, 1, 2)),
            List.of(seen(10, 20)),
            List.of("expected a total of 5 as of 2026-01-01T00:00:20Z, found 10")),
        arguments(
            "a total ahead of its time",
            List.of(change(5, 10, 11)),
            List.of(seen(5, 9)),
            List.of("expected a total of 0 as of 2026-01-01T00:00:09Z, found 5")),
        arguments(
            "a time that goes back",
            List.of(),
            List.of(seen(0, 2), seen(0, 1)),
            List.of("expected as_of not before 2026-01-01T00:00:02Z, found 2026-01-01T00:00:01Z")),
        arguments(
            "two totals of one time",
            List.of(change(1, 0, 5)),
            List.of(seen(0, 1), seen(1, 1)),
            List.of("expected one total as of 2026-01-01T00:00:01Z, found 0 and 1")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("readings")
  void readings_areRightOrToldWithWhatIsWrong(
      String name, List<Change> changes, List<Seen> seen, List<String> expected) {
    assertThat(Checks.broken(changes, seen, true)).isEqualTo(expected);
    assertThat(Checks.broken(changes, seen, false)).isEqualTo(expected);
  }

  @Test
  void totalThatFalls_isWrongWhereItMustOnlyRise() {
    var open = List.of(change(2, 0, 5));
    var falling = List.of(seen(2, 1), seen(0, 2));

    assertThat(Checks.broken(open, falling, true))
        .containsExactly("expected a total of at least 2 as of 2026-01-01T00:00:02Z, found 0");
    assertThat(Checks.broken(open, falling, false)).isEmpty();
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

  @Test
  void lag_endsWithTheFirstTotalThatCovers() {
    var seen = List.of(new Seen(0, at(9), at(9)), new Seen(1, at(12), at(13)), seen(1, 50));

    assertThat(Checks.lags(List.of(change(1, 9, 10)), seen, at(0), at(100)))
        .containsExactly(Duration.ofSeconds(3));
    assertThat(Checks.lags(List.of(change(1, 9, 10)), List.of(seen(0, 9)), at(0), at(100)))
        .containsExactly(Checks.NEVER);
  }

  @Test
  void lags_areOfTheirStretchOnly() {
    var changes = List.of(change(1, 4, 5), change(1, 9, 10), change(1, 14, 15));

    assertThat(Checks.lags(changes, List.of(seen(3, 20)), at(8), at(12)))
        .containsExactly(Duration.ofSeconds(10));
  }

  private static Stream<Arguments> standings() {
    var nothing = OptionalLong.empty();
    return Stream.of(
        arguments(standing(OptionalLong.of(5), 5, 3, 5), true, ""),
        arguments(standing(nothing, 0, 0, 0), true, ""),
        arguments(
            standing(OptionalLong.of(4), 5, 3, 5), false, "expected the roll-up to say 5, found 4"),
        arguments(
            standing(nothing, 5, 3, 5), false, "expected the roll-up to say 5, found nothing"),
        arguments(
            standing(OptionalLong.of(0), 0, 0, 0),
            false,
            "expected the roll-up to say nothing, found 0"),
        arguments(
            standing(OptionalLong.of(4), 4, 3, 5),
            true,
            "expected the shards to hold a total of 5, found 4"),
        arguments(new Standing(OptionalLong.of(5), true, 5, 3, new Range(5, 5)), false, ""));
  }

  @ParameterizedTest
  @MethodSource("standings")
  void standing_isSettledAndRightOrToldWithWhatIsWrong(
      Standing standing, boolean settled, String broken) {
    assertThat(standing.isSettled()).isEqualTo(settled);
    assertThat(standing.broken().orElse("")).isEqualTo(broken);
  }

  @Test
  void difference_isWhatTheRollupLacks() {
    assertThat(standing(OptionalLong.of(4), 5, 3, 5).difference()).isEqualTo(1);
  }

  @Test
  void work_isBoundedAndEnds() {
    assertThat(Checks.work(12, 36, 0)).isEmpty();
    assertThat(Checks.work(12, 37, 0)).hasSize(1);
    assertThat(Checks.work(12, 20, 1)).containsExactly("expected no commit while idle, found 1");
  }

  private static Standing standing(OptionalLong rollup, long sum, int shards, long expected) {
    return new Standing(rollup, false, sum, shards, new Range(expected, expected));
  }

  private static Change change(long delta, int begun, int known) {
    return new Change(delta, at(begun), at(known));
  }

  private static Seen seen(long count, int second) {
    return new Seen(count, at(second), at(second));
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
