package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.up.AllCounters.State;
import dev.tallyroll.local.up.AllCounters.Verdict;
import dev.tallyroll.local.up.Screen.Size;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScreenTest {
  private static final List<State> STATES =
      List.of(
          new State("likes", 12, 15, 3.5, 3, 0.5, true, false, false, Verdict.NOT_YET),
          new State(
              "rooms/a-very-long-name/counters-of/it",
              null,
              7L,
              0,
              0,
              99,
              false,
              false,
              false,
              Verdict.NO),
          new State("votes", 1.5, Double.NaN, 0, 0, 0, false, false, false, Verdict.YES),
          new State("polled_counters/a", 900, 901, 0, 0, 7, false, true, true, Verdict.NOT_YET));

  private final StringWriter out = new StringWriter();

  @Test
  void wide_hasAllColumns() {
    assertThat(screen(true, false).lines(STATES, "below", new Size(100, 24)))
        .containsExactly(
            "counter                                    total      exact   rate/s   lag s  state   right",
            "likes                                         12         15      3.5    0.50  live    not yet",
            "rooms/a-very-long-name/counters-of/it          -          7      0.0   99.00  quiet   no",
            "votes                                        1.5        NaN      0.0    0.00  quiet   yes",
            "polled_counters/a                            900        901      0.0    7.00  polled  held",
            "below");
  }

  @Test
  void idsThatMoveTheCursor_areShownByNumbers() {
    var state = new State("a\033[31m\nb", 1, 1, 0, 0, 0, false, false, false, Verdict.YES);

    assertThat(screen(true, false).lines(List.of(state), "below", new Size(100, 24)).get(1))
        .startsWith("a\\u001b[31m\\u000ab ");
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 60, 67, 68, 80, 200})
  void table_fitsTheTerminal(int width) {
    assertThat(screen(true, false).lines(STATES, "below", new Size(width, 24)))
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width))
        .anySatisfy(line -> assertThat(line).endsWith("not yet"));
  }

  @Test
  void moreCountersThanLines_areCounted() {
    var many =
        IntStream.range(0, 30)
            .mapToObj(i -> new State("c" + i, 1, 1, 0, 0, 0, false, false, false, Verdict.YES))
            .toList();

    var lines = screen(true, false).lines(many, "below", new Size(80, 24));

    assertThat(lines).hasSizeLessThan(24).contains("and 10 more");
    assertThat(screen(false, false).lines(many, "below", Size.DEFAULT)).hasSize(32);
  }

  @Test
  void secondDrawing_goesOverTheFirst() {
    var screen = screen(true, false);

    screen.draw(STATES, "below");
    screen.draw(STATES, "below");

    assertThat(out.toString()).containsOnlyOnce("\033[6A\033[J");
  }

  @Test
  void colours_areForTerminalsThatWantThem() {
    var size = new Size(100, 24);

    assertThat(screen(true, true).lines(STATES, "", size).get(2)).contains("\033[31m");
    assertThat(screen(false, true).lines(STATES, "", size).get(2)).doesNotContain("\033");
    assertThat(Screen.wantsColours(Map.of())).isTrue();
    assertThat(Screen.wantsColours(Map.of("NO_COLOR", ""))).isTrue();
    assertThat(Screen.wantsColours(Map.of("NO_COLOR", "1"))).isFalse();
    assertThat(Screen.wantsColours(Map.of("TERM", "dumb"))).isFalse();
  }

  private Screen screen(boolean terminal, boolean colours) {
    return new Screen(new PrintWriter(out), terminal, colours);
  }
}
