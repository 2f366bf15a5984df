package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  private static Settings settings(Map<String, String> environment) {
    return Settings.from(environment::get);
  }

  @Test
  void nothingSet_givesTheDocumentedDefaults() {
    Settings settings = settings(Map.of());

    assertThat(settings.layout()).isEqualTo(Layout.DEFAULT);
    assertThat(settings.database()).isEqualTo("(default)");
    assertThat(settings.topic()).isEqualTo("rollup");
    assertThat(settings.runs().timing().tick()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.runs().timing().lease()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.runs().timing().slack()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.runs().lanes().lanes()).isEqualTo(16);
    assertThat(settings.runs().lanes().workers()).isEqualTo(1);
    assertThat(settings.sum()).isEqualTo(SumMode.AGGREGATE);
    assertThat(settings.runs().run()).isEqualTo(Duration.ofSeconds(70));
    assertThat(settings.runs().idleExit()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.sweep()).isEqualTo(Duration.ofMinutes(8));
  }

  @Test
  void everySetting_isRead() {
    Settings settings =
        settings(
            Map.ofEntries(
                Map.entry("COUNTERS", "rooms/{room}/c"),
                Map.entry("SHARDS_COLLECTION", "s"),
                Map.entry("ROLLUPS_COLLECTION", "r"),
                Map.entry("RUNS_COLLECTION", "runs"),
                Map.entry("COUNT_FIELD", "Cnt"),
                Map.entry("FIRESTORE_DATABASE", "second"),
                Map.entry("ROLLUP_TOPIC", "tick-tock"),
                Map.entry("TICK", "PT2S"),
                Map.entry("LEASE", "PT10S"),
                Map.entry("SLACK", "PT0S"),
                Map.entry("LANES", "8"),
                Map.entry("WORKERS", "4"),
                Map.entry("SUM", "documents"),
                Map.entry("RUN", "PT2M"),
                Map.entry("IDLE_EXIT", "PT9S"),
                Map.entry("SWEEP", "PT1M")));

    assertThat(settings.layout()).isEqualTo(new Layout("rooms/{room}/c", "s", "r", "runs", "Cnt"));
    assertThat(settings.database()).isEqualTo("second");
    assertThat(settings.topic()).isEqualTo("tick-tock");
    assertThat(settings.runs().timing().tick()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.runs().timing().lease()).isEqualTo(Duration.ofSeconds(10));
    assertThat(settings.runs().timing().slack()).isEqualTo(Duration.ZERO);
    assertThat(settings.runs().lanes().lanes()).isEqualTo(8);
    assertThat(settings.runs().lanes().workers()).isEqualTo(4);
    assertThat(settings.sum()).isEqualTo(SumMode.DOCUMENTS);
    assertThat(settings.runs().run()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.runs().idleExit()).isEqualTo(Duration.ofSeconds(9));
    assertThat(settings.sweep()).isEqualTo(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @CsvSource({
    "TICK, 1s",
    "TICK, PT0.05S",
    "TICK, PT2M",
    "TICK, ''",
    "LEASE, PT2S",
    "LEASE, PT11M",
    "SLACK, -PT1S",
    "LANES, 0",
    "LANES, 301",
    "LANES, 1.5",
    "WORKERS, 17",
    "SUM, sum",
    "SUM, AGGREGATE",
    "RUN, PT531S",
    "IDLE_EXIT, PT71S",
    "SWEEP, PT531S",
    "ROLLUP_TOPIC, google",
    "ROLLUP_TOPIC, x",
    "FIRESTORE_DATABASE, Default",
    "COUNTERS, a/b",
    "COUNTERS, {room}/counters/x",
    "COUNTERS, rooms/{room}/x/{room}/counters",
    "COUNTERS, rooms/{room}/{counters}",
    "COUNTERS, rooms/{a=**}/counters",
    "COUNTERS, {parent=**}/rooms/{room}/counters",
    "COUNTERS, ''",
    "COUNTERS, /counters",
    "COUNT_FIELD, __x__"
  })
  void malformedOrOutOfRange_isRefusedByNameWithTheValueFound(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of(name, value)))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }
}
