package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  /** From lines of {@code NAME=value}. */
  static Settings settings(String lines) {
    Map<String, String> environment =
        lines
            .lines()
            .filter(line -> line.indexOf('=') > 0)
            .map(line -> line.split("=", 2))
            .collect(Collectors.toMap(line -> line[0], line -> line[1], (first, last) -> last));
    return Settings.from(environment::get);
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  @Test
  void nothingSet_givesTheDocumentedDefaults() {
    Timing timing = new Timing(seconds(1), seconds(5), seconds(1));
    RunSettings runs = new RunSettings(timing, new Lanes(16, 1), seconds(70), seconds(5));

    assertThat(settings(""))
        .isEqualTo(
            new Settings(
                Layout.DEFAULT, "(default)", "rollup", SumMode.AGGREGATE, runs, seconds(480)));
  }

  @Test
  void everySetting_isRead() {
    String environment =
        """
        COUNTERS=rooms/{room}/c
        SHARDS_COLLECTION=s
        ROLLUPS_COLLECTION=r
        RUNS_COLLECTION=runs
        COUNT_FIELD=Cnt
        FIRESTORE_DATABASE=second
        ROLLUP_TOPIC=tick-tock
        TICK=PT2S
        LEASE=PT10S
        SLACK=PT0S
        LANES=8
        WORKERS=4
        SUM=documents
        RUN=PT2M
        IDLE_EXIT=PT9S
        SWEEP=PT1M
        """;

    Layout layout = new Layout("rooms/{room}/c", "s", "r", "runs", "Cnt");
    Timing timing = new Timing(seconds(2), seconds(10), seconds(0));
    RunSettings runs = new RunSettings(timing, new Lanes(8, 4), seconds(120), seconds(9));
    assertThat(settings(environment))
        .isEqualTo(
            new Settings(layout, "second", "tick-tock", SumMode.DOCUMENTS, runs, seconds(60)));
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
        .isThrownBy(() -> settings(name + "=" + value))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }
}
