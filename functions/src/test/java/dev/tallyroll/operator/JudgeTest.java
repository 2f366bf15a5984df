package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JudgeTest {
  /**
   * Two increments; the functions have started with the first total. An increment is late after ten
   * seconds.
   */
  private static final List<String> RIGHT =
      List.of(
          increment("00:00", 1),
          read("00:01"),
          total("00:31", 1, "00:30.2", "00:30.5"),
          "warm\t" + time("00:31"),
          increment("00:40", 2),
          total("00:41", 1, "00:30.2", "00:30.5"),
          total("00:42", 3, "00:41.5", "00:41.7"));

  private static String time(String minutes) {
    return "2026-11-27T10:" + minutes + "Z";
  }

  private static String increment(String commit, int number) {
    return "increment\t" + time(commit) + "\t" + number;
  }

  private static String read(String at) {
    return "total\t" + time(at);
  }

  private static String total(String at, int count, String asOf, String updated) {
    return String.join("\t", read(at), "" + count, time(asOf), time(updated));
  }

  private static Verdict judge(List<String> history) {
    return Judge.of(History.parse(history));
  }

  private static Verdict judgeWith(String... more) {
    return judge(Stream.concat(RIGHT.stream(), Stream.of(more)).toList());
  }

  private static List<String> without(int... lines) {
    List<String> history = new ArrayList<>(RIGHT);
    for (int line : lines) {
      history.set(line, "# left out");
    }
    return history;
  }

  @Test
  void allThatIsRight_isToldWithItsLags() {
    Verdict verdict = judge(RIGHT);

    assertThat(verdict.isRight()).isTrue();
    assertThat(verdict.summary())
        .containsExactly(
            "2 increments, 2 versions of the total in 4 reads",
            "lag, cold: 1 increments, p50 30500 ms, p99 30500 ms",
            "lag, warm: 1 increments, p50 1700 ms, p99 1700 ms",
            "right: no total that was read is wrong, goes back, or is late");
  }

  @Test
  void orderOfLines_doesNotMatter() {
    List<String> reversed = new ArrayList<>(RIGHT);
    Collections.reverse(reversed);

    assertThat(judge(reversed)).isEqualTo(judge(RIGHT));
  }

  @Test
  void percentiles_areThoseOfSortedLags() {
    List<String> history = new ArrayList<>();
    for (int i = 1; i <= 100; i++) {
      history.add(increment("00:01.%03d".formatted(1000 - 10 * i), 1));
    }
    history.add(total("00:03", 100, "00:02", "00:02"));

    assertThat(judge(history).summary())
        .contains("lag, warm: 100 increments, p50 500 ms, p99 990 ms");
  }

  @ParameterizedTest
  @CsvSource({"0", "2", "4"})
  void totalThatIsNotTheSum_isWrong(int count) {
    Verdict verdict = judgeWith(total("00:43", count, "00:42.5", "00:42.6"));

    assertThat(verdict.faults())
        .containsExactly("wrong, expected 3: " + total("00:43", count, "00:42.500", "00:42.600"));
    assertThat(verdict.summary()).contains("1 reads are not right");
    assertThat(verdict.isRight()).isFalse();
  }

  @Test
  void totalOfTheVeryTimeOfACommit_hasIt() {
    assertThat(judgeWith(increment("00:50", 5), total("00:51", 8, "00:50", "00:51")).isRight())
        .isTrue();
    assertThat(judgeWith(increment("00:50", 5), total("00:51", 3, "00:50", "00:51")).faults())
        .hasSize(1);
  }

  /** Some commits within the slack may be missing, but none before it. */
  @ParameterizedTest
  @CsvSource({"7, true", "5, true", "3, true", "4, false", "2, false", "1, false", "0, false"})
  void totalThatLacksCommitsInTheSlack_isRight(int count, boolean right) {
    Verdict verdict =
        judgeWith(
            "slack\t1.5",
            increment("00:50", 2),
            increment("00:50.5", 2),
            total("00:51", count, "00:51", "00:51"),
            total("00:55", 7, "00:54", "00:55"));

    assertThat(verdict.faults().isEmpty()).isEqualTo(right);
  }

  @Test
  void totalThatIsOlderOrGone_goesBack() {
    for (String back : List.of(total("00:43", 1, "00:30.200", "00:30.500"), read("00:43"))) {
      assertThat(judgeWith(back).faults()).containsExactly("goes back: " + back);
    }
  }

  @Test
  void readsThatLackAnIncrement_areLateAfterTheirTime() {
    String[] lacking = {
      increment("00:50", 1),
      total("01:00", 3, "00:41.500", "00:41.700"), // in time
      total("01:00.250", 3, "00:41.500", "00:41.700"),
      total("01:01", 3, "00:41.500", "00:41.700")
    };

    Verdict verdict = judgeWith(lacking);

    assertThat(verdict.faults())
        .containsExactly(
            "late, lacks the increment of 10.25 s before: " + lacking[2],
            "late, lacks the increment of 11.0 s before: " + lacking[3]);
    assertThat(verdict.unknown()).isZero();
  }

  @Test
  void incrementFromBeforeTheStart_isLateOnlyAfterIt() {
    List<String> history =
        List.of(increment("00:00", 1), "warm\t" + time("00:31"), read("00:20"), read("00:41"));

    assertThat(judge(history).faults()).isEmpty();
    assertThat(judge(Stream.concat(history.stream(), Stream.of(read("00:42"))).toList()).faults())
        .hasSize(1);
  }

  @Test
  void wordsLate_isThatOfTheFile() {
    assertThat(judgeWith("late\t1.5", total("00:41.900", 1, "00:30.200", "00:30.500")).faults())
        .hasSize(1)
        .allMatch(fault -> fault.startsWith("late, lacks the increment of 1.9 s before"));
  }

  private static void assertUnknown(int number, List<String> history) {
    Verdict verdict = judge(history);
    assertThat(verdict.unknown()).isEqualTo(number);
    assertThat(verdict.faults()).isEmpty();
    assertThat(verdict.isRight()).isFalse();
    assertThat(verdict.summary())
        .noneMatch(line -> line.startsWith("right"))
        .contains("unknown: no read tells whether %d increments showed in time".formatted(number));
  }

  @Test
  void historyWithoutReads_isUnknown() {
    assertUnknown(2, without(1, 2, 5, 6));
  }

  /** The reader has stopped before the last total. */
  @Test
  void readerThatStops_leavesTheLastIncrementsUnknown() {
    assertUnknown(1, without(6));
    assertUnknown(1, without(5, 6));
  }

  /** What is shown at its end may have been shown in time, or late. */
  @Test
  void gapWhileAnIncrementIsUnseen_isUnknown() {
    List<String> history = new ArrayList<>(without(6));
    history.add(total("00:50.100", 3, "00:41.500", "00:41.700"));
    assertUnknown(1, history);
  }

  @Test
  void gapAfterAllWasSeen_isNone() {
    assertThat(judgeWith(total("09:00", 3, "00:41.5", "00:41.7")).isRight()).isTrue();
  }

  @Test
  void firstFaults_areTwenty() {
    String[] wrong =
        Stream.iterate(10, i -> i + 1)
            .limit(30)
            .map(i -> total("01:" + i, 4, "00:50", "00:51"))
            .toArray(String[]::new);

    assertThat(judgeWith(wrong).firstFaults()).hasSize(20);
    assertThat(judgeWith(wrong).summary()).contains("30 reads are not right");
  }

  @ParameterizedTest
  @CsvSource({
    "increment\t2026-11-27T10:00:00Z, 'expected increment, total, warm, late or slack'",
    "total\t2026-11-27T10:00:00Z\t1, 'expected increment, total, warm, late or slack'",
    "increment\ttoday\t1, expected a time such as",
    "increment\t2026-11-27T10:00:00Z\t1.5, expected a whole number",
    "late\tsoon, expected seconds",
  })
  void lineOfAnotherForm_isRefused(String line, String message) {
    assertThatThrownBy(() -> judgeWith(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("line 8: " + message)
        .hasMessageEndingWith("; found '" + line + "'");
  }

  @Test
  void historyWithoutIncrements_isRefused() {
    assertThatThrownBy(() -> judge(List.of("", "# nothing", read("00:01"))))
        .hasMessage("expected a history with increments; found none");
  }

  @Test
  void linesThatWereWritten_areReadAgain() {
    History history = History.parse(RIGHT);
    List<String> lines = new ArrayList<>(List.of("warm\t" + history.warm()));
    history.increments().forEach(increment -> lines.add(increment.line()));
    history.reads().forEach(read -> lines.add(read.line()));

    assertThat(History.parse(lines)).isEqualTo(history);
  }
}
