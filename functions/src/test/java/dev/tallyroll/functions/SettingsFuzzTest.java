package dev.tallyroll.functions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Whatever the environment says, it is taken as it is or refused by name. The inputs are lines of
 * {@code NAME=value}. Plays those beside it; {@code deploy/local/fuzz} looks for more.
 */
class SettingsFuzzTest {
  private static final Pattern REFUSAL =
      Pattern.compile("([A-Z_]+|collections): expected .+; found .+", Pattern.DOTALL);

  @FuzzTest
  void anyEnvironment_isTakenOrRefused(byte[] lines) {
    Map<String, String> environment =
        new String(lines, UTF_8)
            .lines()
            .filter(line -> line.indexOf('=') > 0)
            .map(line -> line.split("=", 2))
            .collect(Collectors.toMap(line -> line[0], line -> line[1], (first, last) -> last));
    try {
      assertIsUsable(Settings.from(environment::get));
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageMatching(REFUSAL);
    }
  }

  private static void assertIsUsable(Settings settings) {
    var timing = settings.runs().timing();
    assertThat(timing.tick()).isPositive();
    assertThat(timing.lease()).isGreaterThanOrEqualTo(timing.tick().multipliedBy(3));
    assertThat(timing.slack().isNegative()).isFalse();
    assertThat(settings.runs().lanes().workers()).isBetween(1, settings.runs().lanes().lanes());
    assertThat(settings.runs().lanes().of(settings.runs().lanes().workers() - 1)).isNotEmpty();
    assertThat(settings.runs().idleExit()).isBetween(timing.tick(), settings.runs().run());
    assertThat(settings.sweep()).isPositive();
    assertThat(settings.layout().counterOfShard("rollups/a/rollup_runs/0")).isNotNull();
  }
}
