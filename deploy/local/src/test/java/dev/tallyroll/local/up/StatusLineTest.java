package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.up.Totals.State;
import dev.tallyroll.local.up.Totals.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StatusLineTest {
  private static final State RIGHT = state("likes", 15, 15, 0, Verdict.YES);
  private static final State FRESH = state("votes", 12, 15, 0.9, Verdict.NOT_YET);
  private static final State LATE = state("rooms/r1/views", null, 7L, 12.34, Verdict.NOT_YET);
  private static final State WRONG = state("sum", 5, Double.NaN, 99, Verdict.NO);
  private static final State HELD =
      new State("polled", 900, 901, 0, 0, 7, false, true, true, Verdict.NOT_YET);

  @Test
  void increments_areThoseOfTheDemo() {
    assertThat(StatusLine.of(Duration.ofSeconds(35), 674, List.of(RIGHT, RIGHT, RIGHT)))
        .isEqualTo("0:35  674 increments, 3 counters, all totals right");
    assertThat(StatusLine.of(Duration.ofMinutes(75), 0, List.of(RIGHT)))
        .isEqualTo("75:00  1 counter, all totals right");
  }

  /** A live total is written once a second, and a held one is late on purpose. */
  @Test
  void freshAndHeldTotals_areNotNamed() {
    assertThat(totals(RIGHT, HELD)).isEqualTo("2 counters, all totals right");
    assertThat(totals(RIGHT, FRESH, HELD)).isEqualTo("3 counters, all totals at most 0.9 s behind");
  }

  @Test
  void lateAndWrongTotals_areNamedTwoAtMost() {
    assertThat(totals(RIGHT, FRESH, LATE, WRONG))
        .isEqualTo("4 counters, sum wrong: 5 of NaN, rooms/r1/views 12.3 s behind: none of 7");
    assertThat(totals(LATE, WRONG, LATE, LATE)).endsWith(" 12.3 s behind: none of 7 and 2 more");
  }

  @Test
  void idsThatMoveTheCursor_areShownByNumbers() {
    assertThat(totals(state("a\033[31m\nb", 1, 2, 3, Verdict.NOT_YET)))
        .isEqualTo("1 counter, a\\u001b[31m\\u000ab 3.0 s behind: 1 of 2");
  }

  private static String totals(State... counters) {
    return StatusLine.of(Duration.ZERO, 0, List.of(counters)).replace("0:00  ", "");
  }

  private static State state(
      String counter, @Nullable Number total, Number exact, double lag, Verdict right) {
    return new State(counter, total, exact, 0, 0, lag, false, false, false, right);
  }
}
