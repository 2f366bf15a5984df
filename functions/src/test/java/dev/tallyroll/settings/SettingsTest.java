package dev.tallyroll.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  /** Reads lines of {@code NAME=value}. */
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
    RunSettings runs = new RunSettings(timing, 1, seconds(70), seconds(1), seconds(480), 0);

    assertThat(settings(""))
        .isEqualTo(
            new Settings(
                Layout.DEFAULT.in("counters"),
                Optional.empty(),
                Map.of(),
                "(default)",
                "tallyroll-rollup",
                SumMode.AGGREGATE,
                runs));
  }

  /** A round of sweeps takes a day at most. */
  @Test
  void sweeps_lookAtAsManyAsARoundADayTakes() {
    RunSettings runs = settings("").runs();

    assertThat(runs.looks(0)).isEqualTo(10_000);
    assertThat(runs.looks(240_000)).isEqualTo(10_000);
    assertThat(runs.looks(240_001)).isEqualTo(10_001);
    assertThat(runs.looks(1_000_000)).isEqualTo(41_667);
    assertThat(settings("SWEEP_COUNTERS=500").runs().looks(1_000_000)).isEqualTo(500);
    assertThat(settings("SWEEP_COUNTERS=").runs()).isEqualTo(runs);
  }

  /** So often, at most, each event of a counter that is not live writes the app's document. */
  @Test
  void fields_makeACounterLiveFromTwoWritesASecondOn() {
    assertThat(settings("TOTAL_FIELD=likes").runs().timing().burst()).isEqualTo(10);
    assertThat(settings("TOTAL_FIELD=likes\nBURST=15").runs().timing().burst()).isEqualTo(15);
  }

  @Test
  void everySetting_isRead() {
    String environment =
        """
        COUNTERS=rooms/r1/c
        TOTAL_FIELD=stats.likes
        NUMBER_FIELD=stats.number
        AVERAGE_FIELD=average
        SHARDS_COLLECTION=s
        ROLLUPS_COLLECTION=r
        NAME=staging
        COUNT_FIELD=Cnt
        FIRESTORE_DATABASE=second
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
        POLL=PT3S
        """;

    Layout layout = new Layout("rooms/r1/c", "s", "r", "staging", "Cnt");
    Timing timing = new Timing(seconds(3), seconds(10), seconds(0), 3, seconds(30), 0.001);
    RunSettings runs = new RunSettings(timing, 4, seconds(120), seconds(9), seconds(60), 500);
    assertThat(settings(environment))
        .isEqualTo(
            new Settings(
                layout,
                Optional.of(seconds(3)),
                Map.of(
                    Figure.TOTAL, FieldName.of("stats", "likes"),
                    Figure.NUMBER, FieldName.of("stats", "number"),
                    Figure.AVERAGE, FieldName.of("average")),
                "second",
                "staging-rollup",
                SumMode.DOCUMENTS,
                runs));
  }

  @ParameterizedTest
  @CsvSource({"FOLD, PT1S", "FOLD_DOCUMENTS, pages/{page}", "FOLD_FIELDS, visits"})
  void settingOfTheJarThatFolds_isRefused(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(name + "=" + value))
        .withMessageStartingWith(name + ": expected nothing")
        .withMessageEndingWith("; found '" + value + "'");
    assertThat(settings(name + "=")).isEqualTo(settings(""));
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
    "NAME, google",
    "NAME, x",
    "FIRESTORE_DATABASE, Default",
    "COUNTERS, a/b",
    "COUNTERS, {room}/counters/x",
    "COUNTERS, rooms/{room}/x/{room}/counters",
    "COUNTERS, rooms/{room}/{counters}",
    "COUNTERS, rooms/{a=**}/counters",
    "COUNTERS, {parent=**}/rooms/{room}/counters",
    "TOTAL_FIELD, num_shards",
    "TOTAL_FIELD, numShards.x",
    "TOTAL_FIELD, reset_id",
    "TOTAL_FIELD, likes.",
    "TOTAL_FIELD, .likes",
    "TOTAL_FIELD, my likes",
    "TOTAL_FIELD, __likes__",
    "TOTAL_FIELD, stats.__likes__",
    "COUNTERS, /counters",
    "NUMBER_FIELD, num_shards",
    "AVERAGE_FIELD, a..b"
  })
  void malformedOrOutOfRange_isRefusedByNameWithTheValueFound(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(name + "=" + value))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }

  @Test
  void countField_isAPathOrEmpty() {
    assertThat(settings("COUNT_FIELD=review.stars").layout().counted())
        .contains(FieldName.of("review", "stars"));
    assertThat(settings("COUNT_FIELD=").layout().counted()).isEmpty();
    for (String malformed : List.of("__x__", "review.__x__", "a..b", ".a", "a.", "a/b")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings("COUNT_FIELD=" + malformed))
          .withMessageStartingWith("COUNT_FIELD: expected ");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("COUNT_FIELD=\nSUM=documents"))
        .withMessage(
            "SUM: expected aggregate with an empty COUNT_FIELD, as no field is summed;"
                + " found 'documents'");
  }

  @ParameterizedTest
  @CsvSource({"likes, likes", "likes, likes.number", "stats.likes, stats"})
  void fieldsThatMeet_areRefused(String total, String number) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("TOTAL_FIELD=" + total + "\nNUMBER_FIELD=" + number))
        .withMessage(
            "NUMBER_FIELD: expected a field other than [%s], and not on the way to it or inside;"
                + " found '%s'",
            total, number);
    assertThat(settings("TOTAL_FIELD=stats.likes\nNUMBER_FIELD=stats.number").fields()).hasSize(2);
  }

  @Test
  void allMistakes_areToldAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("TICK=1s\nNAME=T\nSUM=all\nCOUNTERS=a/b\nPOLL=x"))
        .withMessage(
            """
            POLL: expected an ISO-8601 duration from PT1S to PT1M, such as PT1S; found 'x'
            NAME: expected 2 to 13 lower-case letters, digits and hyphens, a letter first and no hyphen last, other than goog...; found 'T'
            COUNTERS: expected the path of a collection, such as counters, rooms/{room}/counters or {parent=**}/counters, each variable once; found 'a/b'
            COUNTERS: expected the path of a collection, without variables, since POLL is set; found '{parent=**}/counters'
            SUM: expected aggregate or documents; found 'all'""");
  }

  /** Names of increments lie below counters, too: they are no shards. */
  @ParameterizedTest
  @CsvSource({
    "SHARDS_COLLECTION, increment_names",
    "ROLLUPS_COLLECTION, increment_names",
    "COUNTERS, rooms/{room}/increment_names",
    "SHARDS_COLLECTION, rollups",
    "ROLLUPS_COLLECTION, live",
    "COUNTERS, shards"
  })
  void collections_haveNamesOfTheirOwn(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(name + "=" + value))
        .withMessageStartingWith("collections: expected ");
  }

  /** A run has two ticks. */
  @Test
  void run_isLongerForTheLongestTicks() {
    assertThat(settings("TICK=PT59S").runs().run()).isEqualTo(seconds(118));
    assertThat(settings("TICK=PT1M").runs().run()).isEqualTo(seconds(70));
  }

  @Test
  void table_isTheDocuments() throws Exception {
    List<String> rows =
        Files.readAllLines(Path.of("README.md")).stream()
            .dropWhile(line -> !line.equals("| variable | default | meaning |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();

    assertThat(rows)
        .containsExactlyElementsOf(Settings.VARIABLES.stream().map(Variable::row).toList());
  }

  @Test
  void ranges_areThoseOfTheMeanings() {
    var range = Pattern.compile("\\((P[^ ]+|[\\d,]+) to (P[^ );]+|[\\d,]+)[;)]");
    int ranges = 0;
    for (Variable variable : Settings.VARIABLES) {
      var found = range.matcher(variable.meaning());
      if (found.find()) {
        ranges++;
        String setting = variable.name() + "=";
        assertThat(settings(setting + beyond(found.group(1), 0))).isNotNull();
        assertThat(settings(setting + beyond(found.group(2), 0))).isNotNull();
        assertThatIllegalArgumentException()
            .isThrownBy(() -> settings(setting + beyond(found.group(1), -1)))
            .withMessageStartingWith(variable.name());
        assertThatIllegalArgumentException()
            .isThrownBy(() -> settings(setting + beyond(found.group(2), 1)))
            .withMessageStartingWith(variable.name());
      }
    }
    assertThat(ranges).isEqualTo(3);
  }

  /** A bound, or the next value that is smaller or larger. */
  private static String beyond(String bound, int by) {
    return bound.startsWith("P")
        ? Duration.parse(bound).plusMillis(by).toString()
        : Long.toString(Long.parseLong(bound.replace(",", "")) + by);
  }

  /** They are summed so often, by a list that knows no variables. */
  @Test
  void polls_takeThePlaceOfEvents() {
    Settings settings = settings("COUNTERS=rooms/r1/counters\nPOLL=PT10S");
    assertThat(settings.hasTrigger()).isFalse();
    assertThat(settings.runs().timing().tick()).isEqualTo(seconds(10));
    assertThat(settings("").hasTrigger()).isTrue();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("COUNTERS=rooms/{room}/counters\nPOLL=PT10S"))
        .withMessageStartingWith("COUNTERS: expected the path of a collection, without variables")
        .withMessageContaining("found 'rooms/{room}/counters'");
    for (String wrong : List.of("PT0.9S", "PT61S", "tick")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings("COUNTERS=counters\nPOLL=" + wrong))
          .withMessageStartingWith("POLL: expected")
          .withMessageContaining(wrong);
    }
  }

  /** Three writes a second make a counter live, however long a LEASE is. */
  @Test
  void burst_followsTheLease() {
    assertThat(settings("").runs().timing().burst()).isEqualTo(15);
    assertThat(settings("TICK=PT10S").runs().timing().burst()).isEqualTo(90);
    assertThat(settings("TICK=PT1M").runs().timing().burst()).isEqualTo(100);
    assertThat(settings("TICK=PT10S\nBURST=7").runs().timing().burst()).isEqualTo(7);
  }
}
