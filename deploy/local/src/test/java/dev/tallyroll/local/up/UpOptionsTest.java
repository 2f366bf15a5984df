package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UpOptionsTest {
  @Test
  void withoutOptions_runsTheDemo() {
    assertThat(parse(""))
        .isEqualTo(
            new UpOptions(
                "demo-tallyroll", 0, 0, Optional.of(0), 20, 3, 10, Optional.empty(), false, 1));
  }

  @Test
  void allOptions_areTaken() {
    assertThat(
            parse(
                "--project demo-x1 --firestore-port 1 --pubsub-port 2 --console-port 3"
                    + " --traffic 0.5 --counters 4 --shards 5 --seconds 6 --faults --seed 7"))
        .isEqualTo(
            new UpOptions("demo-x1", 1, 2, Optional.of(3), 0.5, 4, 5, Optional.of(6), true, 7));
  }

  @Test
  void consolePortNone_isNoConsole() {
    assertThat(parse("--console-port none").consolePort()).isEmpty();
  }

  @Test
  void trafficNone_isNoTraffic() {
    assertThat(parse("--traffic none").traffic()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --tick 1           | unknown option '--tick'
          --seconds          | --seconds: expected a whole number from 1 to 86400; found nothing
          --seconds 0        | --seconds: expected a whole number from 1 to 86400; found '0'
          --seconds --faults | --seconds: expected a whole number from 1 to 86400; found '--faults'
          --seed -1          | --seed: expected a whole number from 0 to 999999999; found '-1'
          --shards 1001      | --shards: expected a whole number from 1 to 1000; found '1001'
          --console-port x   | --console-port: expected none, or a port from 0 (a free one)
          --console-port 65536 | --console-port: expected none, or a port from 0 (a free one)
          --project X        | --project: expected a project id of 6 to 30 lower-case letters
          --traffic 0        | --traffic: expected none, or increments a second from 0.01 to 10000
          --traffic none --faults | --faults: expected traffic to disturb; found none
          """)
  void malformedOption_isNamed(String arguments, String message) {
    assertThatThrownBy(() -> parse(arguments))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void help_namesEveryOption() {
    assertThat(UpOptions.HELP)
        .contains("--project", "--firestore-port", "--pubsub-port", "--console-port", "--traffic")
        .contains("--counters", "--shards", "--seconds", "--faults", "--seed", "--help");
  }

  private static UpOptions parse(String arguments) {
    return UpOptions.parse(arguments.isEmpty() ? List.of() : List.of(arguments.split(" ")));
  }
}
