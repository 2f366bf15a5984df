package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.SumMode;
import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.functions.Settings.Fold;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  /** Reads lines of {@code NAME=value}. */
  private static final Optional<Layout> POLLED =
      Optional.of(new Layout("polled_counters", "shards", "rollups", "rollup_runs", "count"));

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
    Timing timing = new Timing(seconds(1), seconds(5), seconds(1), 15, seconds(0), 0.01);
    RunSettings runs = new RunSettings(timing, 1, seconds(70), seconds(1), seconds(480), 10_000);

    assertThat(settings(""))
        .isEqualTo(
            new Settings(
                Layout.DEFAULT,
                POLLED,
                Optional.empty(),
                Optional.empty(),
                "(default)",
                "rollup",
                SumMode.AGGREGATE,
                runs));
  }

  @Test
  void everySetting_isRead() {
    String environment =
        """
        COUNTERS=rooms/{room}/c
        POLLED=
        TOTAL_FIELD=stats.likes
        SHARDS_COLLECTION=s
        ROLLUPS_COLLECTION=r
        RUNS_COLLECTION=runs
        COUNT_FIELD=Cnt
        FIRESTORE_DATABASE=second
        ROLLUP_TOPIC=tick-tock
        TICK=PT2S
        LEASE=PT10S
        SLACK=PT0S
        BURST=3
        HOLD=PT30S
        PRECISION=0.001
        WORKERS=4
        SUM=documents
        RUN=PT2M
        IDLE_EXIT=PT9S
        SWEEP=PT1M
        SWEEP_COUNTERS=500
        """;

    Layout layout = new Layout("rooms/{room}/c", "s", "r", "runs", "Cnt");
    Timing timing = new Timing(seconds(2), seconds(10), seconds(0), 3, seconds(30), 0.001);
    RunSettings runs = new RunSettings(timing, 4, seconds(120), seconds(9), seconds(60), 500);
    assertThat(settings(environment))
        .isEqualTo(
            new Settings(
                layout,
                Optional.empty(),
                Optional.of(List.of("stats", "likes")),
                Optional.empty(),
                "second",
                "tick-tock",
                SumMode.DOCUMENTS,
                runs));
  }

  @Test
  void foldFieldsWithoutFold_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("FOLD_FIELDS=visits"))
        .withMessageContaining("FOLD_FIELDS: expected nothing without FOLD");
  }

  @Test
  void foldAlone_takesTheExtensionsPlace() {
    Settings folding = settings("FOLD=PT2S\nFOLD_DOCUMENTS=pages/{page}");

    assertThat(folding.fold())
        .contains(
            new Fold(
                new FoldLayout(
                    "_counter_shards_",
                    "rollup_runs",
                    FoldLayout.documents("pages/{page}", Set.of())),
                Set.of()));
    assertThat(folding.runs().timing().tick()).isEqualTo(seconds(2));
    assertThat(settings("FOLD=").fold()).isEmpty();
  }

  @Test
  void foldsOwnSettings_areRead() {
    String environment =
        """
        FOLD=PT0.5S
        FOLD_DOCUMENTS=pages/{page} rooms/{room}/posts/{post}
        FOLD_FIELDS=visits stats.likes
        SHARDS_COLLECTION=_shards_
        RUNS_COLLECTION=runs
        """;

    assertThat(settings(environment).fold())
        .contains(
            new Fold(
                new FoldLayout(
                    "_shards_",
                    "runs",
                    FoldLayout.documents("pages/{page} rooms/{room}/posts/{post}", Set.of())),
                Set.of(List.of("visits"), List.of("stats", "likes"))));
  }

  @ParameterizedTest
  @CsvSource({
    "FOLD, PT0.01S",
    "FOLD, 1s",
    "FOLD_FIELDS, 'visits,likes'",
    "FOLD_FIELDS, stats..likes",
    "FOLD_FIELDS, 9",
    "FOLD_DOCUMENTS, ''",
    "FOLD_DOCUMENTS, pages",
    "FOLD_DOCUMENTS, pages/{page}/x",
    "FOLD_DOCUMENTS, /pages/{page}",
    "FOLD_DOCUMENTS, pages/{page}/",
    "FOLD_DOCUMENTS, pages//x/{y}",
    "FOLD_DOCUMENTS, {parent=**}/pages/{page}",
    "FOLD_DOCUMENTS, {pages}/{page}",
    "FOLD_DOCUMENTS, pages/*",
    "FOLD_DOCUMENTS, pages/x{page}",
    "FOLD_DOCUMENTS, rollup_runs/{any}",
    "FOLD_DOCUMENTS, rollups/{any}",
    "FOLD_DOCUMENTS, rooms/{room}/rollups/{any}",
    "FOLD_DOCUMENTS, pages/{page}/_counter_shards_/{shard}",
    "FOLD_DOCUMENTS, 'pages/{page} rollup_runs/{any}/live/{entry}'"
  })
  void foldSettingThatIsNone_isRefusedByItsName(String name, String value) {
    String others = "FOLD=PT1S\nFOLD_DOCUMENTS=pages/{page}\n";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(others + name + "=" + value))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }

  @Test
  void idleExit_isATick() {
    assertThat(settings("TICK=PT2S\nLEASE=PT6S").runs().idleExit()).isEqualTo(seconds(2));
  }

  @Test
  void leaseThatIsNotSet_fitsTheTick() {
    assertThat(settings("TICK=PT2S").runs().timing().lease()).isEqualTo(seconds(6));
    assertThat(settings("TICK=PT0.1S").runs().timing().lease()).isEqualTo(seconds(5));
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
    "BURST, 1",
    "HOLD, PT0.5S",
    "HOLD, PT5M",
    "HOLD, -PT1S",
    "PRECISION, 2",
    "PRECISION, 1",
    "PRECISION, 1%",
    "PRECISION, -0.1",
    "BURST, 101",
    "BURST, 1.5",
    "WORKERS, 0",
    "WORKERS, 65",
    "SWEEP_COUNTERS, 99",
    "SUM, sum",
    "SUM, AGGREGATE",
    "RUN, PT501S",
    "IDLE_EXIT, PT71S",
    "SWEEP, PT501S",
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
    "POLLED, rooms/{room}/polled",
    "POLLED, rooms/r1",
    "POLLED, shards",
    "POLLED, rollups",
    "POLLED, rollup_runs",
    "POLLED, live",
    "POLLED, counters",
    "POLLED, rooms/r1/counters",
    "POLLED, __x__",
    "TOTAL_FIELD, num_shards",
    "TOTAL_FIELD, numShards.x",
    "TOTAL_FIELD, reset_id",
    "TOTAL_FIELD, likes.",
    "TOTAL_FIELD, .likes",
    "TOTAL_FIELD, my likes",
    "TOTAL_FIELD, __likes__",
    "TOTAL_FIELD, stats.__likes__",
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
