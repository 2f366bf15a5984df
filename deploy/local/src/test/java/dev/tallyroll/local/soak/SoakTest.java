package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class SoakTest {
  @Test
  void allOptions_areTaken() {
    var soak = parse("--minutes 7 --counters=20 --rate 5 --drop-minutes 10 --seed=3");

    assertThat(soak.faults()).isEqualTo(Duration.ofMinutes(7));
    assertThat(soak.counters).isEqualTo(20);
    assertThat(soak.perSecond).isEqualTo(5);
    assertThat(soak.lost()).isEqualTo(Duration.ofMinutes(10));
    assertThat(soak.seed).isEqualTo(3);
  }

  @Test
  void outOfRange_isRefused() {
    assertThatThrownBy(parse("--counters 9")::validate)
        .hasMessage("--counters: expected a whole number from 10 to 10000; found '9'");
  }

  private static Soak parse(String arguments) {
    return CommandLine.populateCommand(new Soak(), arguments.split(" "));
  }
}
