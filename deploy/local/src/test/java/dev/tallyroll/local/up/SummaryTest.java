package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Maps;
import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import dev.tallyroll.local.up.PageTotals.State;
import dev.tallyroll.local.up.PageTotals.Verdict;
import dev.tallyroll.local.up.Summary.Faults;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SummaryTest {
  private static final Map<Occurrence, Long> THREE_OF_EACH =
      Maps.toMap(EnumSet.allOf(Occurrence.class), what -> 3L);

  private static final State RIGHT = state("likes", 15, 15, 0, Verdict.YES);
  private static final State FRESH = state("votes", 12, 15, 0.9, Verdict.NOT_YET);
  private static final State LATE = state("rooms/r1/views", null, 7L, 12.34, Verdict.NOT_YET);
  private static final State WRONG = state("sum", 5, Double.NaN, 99, Verdict.NO);
  private static final State STAYS = state("p1 likes", 3, 2, 0, Verdict.STAYS);
  private static final State HELD = new State("polled", 900, 901, 7, true, true, Verdict.NOT_YET);

  @Test
  void changes_areThoseOfTheDemo() {
    assertThat(Summary.line(Duration.ofSeconds(35), 674, List.of(RIGHT, RIGHT, RIGHT)))
        .isEqualTo("0:35  674 changes, 3 totals, all right");
    assertThat(Summary.line(Duration.ofMinutes(75), 0, List.of(RIGHT)))
        .isEqualTo("75:00  1 total, all right");
  }

  /** A live total is written once a second, and a held one is late on purpose. */
  @Test
  void freshAndHeldTotals_areNotNamed() {
    assertThat(totals(RIGHT, HELD)).isEqualTo("2 totals, all right");
    assertThat(totals(RIGHT, FRESH, HELD)).isEqualTo("3 totals, all at most 0.9 s behind");
  }

  @Test
  void lateAndWrongTotals_areNamedTwoAtMost() {
    assertThat(totals(RIGHT, FRESH, LATE, WRONG))
        .isEqualTo("4 totals, sum wrong: 5 of NaN, rooms/r1/views 12.3 s behind: none of 7");
    assertThat(totals(LATE, WRONG, LATE, LATE)).endsWith(" 12.3 s behind: none of 7 and 2 more");
  }

  @Test
  void idsThatMoveTheCursor_areShownByNumbers() {
    assertThat(totals(state("a\033[31m\nb", 1, 2, 3, Verdict.NOT_YET)))
        .isEqualTo("1 total, a\\u001b[31m\\u000ab 3.0 s behind: 1 of 2");
  }

  private static String totals(State... counters) {
    return Summary.line(Duration.ZERO, 0, List.of(counters)).replace("0:00  ", "");
  }

  private static State state(
      String counter, @Nullable Number total, Number exact, double lag, Verdict right) {
    return new State(counter, total, exact, lag, false, false, right);
  }

  @Test
  void missingKindOfFault_isNotTelling() {
    var allButOne = Maps.filterKeys(THREE_OF_EACH, what -> what != Occurrence.OUTAGE);

    assertThat(faults(60, THREE_OF_EACH).isRight()).isTrue();
    assertThat(faults(60, allButOne).isRight()).isFalse();
    assertThat(faults(60, allButOne).toString())
        .contains("kinds that never happened        [outages of Firestore]");
  }

  @Test
  void shortRun_mayMissAKind() {
    assertThat(faults(59, Map.of()).isRight()).isTrue();
  }

  @Test
  void faults_haveALineForEachKind() {
    assertThat(faults(60, THREE_OF_EACH).toString().lines().map(line -> line.replaceAll(" +", " ")))
        .containsSubsequence(
            "faults for 60 s",
            "events doubled 3",
            "streams broken 3",
            "kinds that never happened none",
            "deliveries tried again 3 (of 3 events)",
            "messages that RollUp lost 0",
            "drift corrected by the sweep 1",
            "totals 1",
            "wrong none")
        .hasSize(Occurrence.FAULTS.size() + 7);
  }

  private static Summary faults(int seconds, Map<Occurrence, Long> happened) {
    var drift = List.of(new Drift("likes", "1", "2"));
    var faults = new Faults(Duration.ofSeconds(seconds), happened, 0, drift);
    return of(Optional.of(faults), RIGHT);
  }

  @Test
  void outcome_namesWrongAndLateTotals() {
    var summary = of(Optional.empty(), RIGHT, LATE, WRONG);

    assertThat(summary.isRight()).isFalse();
    assertThat(summary.toString())
        .isEqualTo(
            """
            totals                   3
            wrong                    rooms/r1/views is none, and should be 7
            wrong                    sum is 5, and should be NaN
            """);
  }

  /** A field that the settings leave out is no wrong total. */
  @Test
  void fieldThatStaysInShards_isNamedAndRight() {
    assertThat(totals(RIGHT, STAYS)).isEqualTo("2 totals (1 stays in shards), all right");
    var summary = of(Optional.empty(), RIGHT, STAYS);

    assertThat(summary.isRight()).isTrue();
    assertThat(summary.toString())
        .isEqualTo(
            """
            totals                   2
            wrong                    none
            stays in shards          p1 likes: FOLD_FIELDS leaves it out, or the document holds no number
            """);
  }

  /** No total can be right where nothing was looked at. */
  @Test
  void nothingButCountersElsewhere_isWrong() {
    assertThat(totals()).isEqualTo("0 totals");
    assertThat(outside("").isRight()).isTrue();
    assertThat(outside("Shards lie elsewhere.").isRight()).isFalse();
    assertThat(outside("Shards lie elsewhere.").toString())
        .endsWith("wrong                    Shards lie elsewhere.\n");
    assertThat(outside("Shards lie elsewhere.", RIGHT).isRight()).isTrue();
  }

  private static Summary of(Optional<Faults> faults, State... states) {
    return of(faults, "", states);
  }

  private static Summary outside(String advice, State... states) {
    return of(Optional.empty(), advice, states);
  }

  private static Summary of(Optional<Faults> faults, String outside, State... states) {
    try (var traffic = Traffic.even(List.of(), 0)) {
      return Summary.of(List.of(states), outside, traffic, Operations.NONE, faults);
    }
  }
}
