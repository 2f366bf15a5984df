package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SoakOptionsTest {
  @Test
  void withoutOptions_takesMinutes() {
    var options = SoakOptions.parse(List.of());

    assertThat(options.counters()).isEqualTo(300);
    assertThat(options.faults()).isEqualTo(Duration.ofMinutes(3));
    assertThat(options.lost()).isZero();
  }

  @Test
  void allOptions_areTaken() {
    var options =
        SoakOptions.parse(
            List.of(
                "--minutes",
                "7",
                "--counters",
                "20",
                "--rate",
                "5",
                "--drop-minutes",
                "10",
                "--seed",
                "3"));

    assertThat(options.faults()).isEqualTo(Duration.ofMinutes(7));
    assertThat(options.counters()).isEqualTo(20);
    assertThat(options.perSecond()).isEqualTo(5);
    assertThat(options.lost()).isEqualTo(Duration.ofMinutes(10));
    assertThat(options.seed()).isEqualTo(3);
  }

  @Test
  void malformedOption_isNamed() {
    assertThatThrownBy(() -> SoakOptions.parse(List.of("--counters", "9")))
        .hasMessage("--counters: expected a whole number from 10 to 10000; found '9'");
    assertThatThrownBy(() -> SoakOptions.parse(List.of("--faults")))
        .hasMessage("unknown option '--faults'");
  }

  @Test
  void help_namesEveryOption() {
    assertThat(SoakOptions.HELP)
        .contains("--minutes", "--counters", "--rate", "--drop-minutes", "--seed", "--help");
  }
}
