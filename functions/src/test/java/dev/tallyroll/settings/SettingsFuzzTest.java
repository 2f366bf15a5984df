package dev.tallyroll.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.Timing;
import java.util.regex.Pattern;

/**
 * Every environment is taken unchanged, or refused with what was expected and found. The inputs are
 * lines of {@code NAME=value}. The build plays the stored ones; {@code mvn test -Pfuzz} looks for
 * more.
 */
class SettingsFuzzTest {
  private static final Pattern REFUSAL =
      Pattern.compile("(.+: )?expected .+; found .+", Pattern.DOTALL);

  @FuzzTest
  void anyEnvironment_isTakenOrRefused(byte[] lines) {
    try {
      assertIsUsable(SettingsTest.settings(new String(lines, UTF_8)));
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageMatching(REFUSAL);
    }
  }

  private static void assertIsUsable(Settings settings) {
    settings.entries().forEach(SettingsFuzzTest::assertIsUsable);
    assertThat(settings.runs().workers()).isBetween(1, 64);
    assertThat(settings.runs().idleExit()).isBetween(settings.runs().look(), settings.runs().run());
    assertThat(settings.runs().sweep()).isPositive();
  }

  private static void assertIsUsable(Entry entry) {
    Timing timing = entry.timing();
    assertThat(timing.tick()).isPositive();
    assertThat(timing.lease()).isGreaterThanOrEqualTo(timing.tick().multipliedBy(3));
    assertThat(timing.slack().isNegative()).isFalse();
    assertThat(timing.burst()).isBetween(2, 100);
    assertThat(entry.layout().counterOfShard("rollups/a/rollup_runs/0")).isNotNull();
  }
}
