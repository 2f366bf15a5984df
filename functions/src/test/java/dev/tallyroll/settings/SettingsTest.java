package dev.tallyroll.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.internal.Layout;
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

  private static Timing timing(String totals, String others) {
    return settings("TOTALS=" + totals + "\n" + others).entries().get(0).timing();
  }

  private static String likes(String keys) {
    return "{\"likes\": {\"of\": \"posts/{post}/likes\"" + keys + "}}";
  }

  @Test
  void nothingSet_givesTheDocumentedDefaults() {
    RunSettings runs =
        new RunSettings(seconds(1), seconds(1), 1, seconds(70), seconds(1), seconds(480), 0);
    Settings settings = settings("");

    assertThat(settings)
        .isEqualTo(
            new Settings(
                TotalsFile.parse(TotalsFile.DEFAULT).entries(),
                Map.of("counters", new EntryRules(EntryRules.RulesKind.PLAIN, Optional.empty())),
                "tallyroll",
                "(default)",
                "tallyroll-rollup",
                runs));
    assertThat(settings.entries().get(0).timing())
        .isEqualTo(
            new Timing(seconds(1), seconds(5), seconds(1), 15, seconds(0), 0.01).withMost(30_000));
    assertThat(settings("TOTALS=")).isEqualTo(settings);
  }

  /** A sum of more would cost too much each second; who says how often has looked at the price. */
  @Test
  void totalOfManyDocuments_isLargeUnlessTheEntrySaysHowOften() {
    String noIndex = ", \"sum\": \"stars\", \"index\": false";

    assertThat(timing(likes(""), "").most()).isEqualTo(30_000);
    assertThat(timing(likes(noIndex), "").most()).isEqualTo(30);
    assertThat(timing(likes(", \"every\": \"PT1S\""), "").most()).isEqualTo(Long.MAX_VALUE);
    assertThat(timing(likes(noIndex + ", \"every\": \"PT1S\""), "").most())
        .isEqualTo(Long.MAX_VALUE);
  }

  /** A round of sweeps takes a day at most. */
  @Test
  void sweeps_lookAtAsManyAsARoundADayTakes() {
    RunSettings runs = settings("").runs();

    assertThat(runs.looks(0, 1)).isEqualTo(10_000);
    assertThat(runs.looks(240_000, 1)).isEqualTo(10_000);
    assertThat(runs.looks(240_001, 1)).isEqualTo(10_001);
    assertThat(runs.looks(1_000_000, 1)).isEqualTo(41_667);
    assertThat(runs.looks(0, 4)).as("a fourth of them").isEqualTo(2_500);
    assertThat(runs.looks(1_000_000, 4)).as("of this entry's own round").isEqualTo(41_667);
    RunSettings bounded = settings("SWEEP_COUNTERS=500").runs();
    assertThat(bounded.looks(1_000_000, 1)).isEqualTo(500);
    assertThat(bounded.looks(1_000_000, 5)).isEqualTo(100);
    assertThat(settings("SWEEP_COUNTERS=").runs()).isEqualTo(runs);
  }

  /** A counter below this rate is not live, and each of its events writes the app's document. */
  @Test
  void fields_makeACounterLiveFromTwoWritesASecondOn() {
    String fields = likes(", \"into\": {\"count\": \"likes\"}");

    assertThat(timing(likes(""), "").burst()).isEqualTo(15);
    assertThat(timing(fields, "").burst()).isEqualTo(10);
    assertThat(timing(fields, "BURST=15").burst()).isEqualTo(15);
  }

  @Test
  void everySetting_isRead() {
    Settings settings =
        settings(
            """
            TOTALS={"likes": {"of": "posts/{post}/likes", "every": "PT3S", "hold": "PT30S", "precision": 0.001}}
            NAME=staging
            FIRESTORE_DATABASE=second
            LEASE=PT10S
            SLACK=PT0S
            BURST=3
            WORKERS=4
            RUN=PT2M
            IDLE_EXIT=PT9S
            SWEEP=PT1M
            SWEEP_COUNTERS=500
            """);

    assertThat(settings.entries().get(0).layout())
        .isEqualTo(new Layout("posts/{post}/likes", "likes_rollups", ""));
    assertThat(settings.entries().get(0).timing())
        .isEqualTo(new Timing(seconds(3), seconds(10), seconds(0), 3, seconds(30), 0.001));
    assertThat(settings.deployment()).isEqualTo("staging");
    assertThat(settings.database()).isEqualTo("second");
    assertThat(settings.topic()).isEqualTo("staging-rollup");
    assertThat(settings.runs())
        .isEqualTo(
            new RunSettings(seconds(3), seconds(0), 4, seconds(120), seconds(9), seconds(60), 500));
  }

  /** What rests costs the others nothing; a look costs a read and is made each second at most. */
  @Test
  void runs_lookEachSecond_orEachShortestPeriod() {
    assertThat(look("PT0.1S", "PT5S")).isEqualTo(seconds(1));
    assertThat(look("PT5S", "PT1S")).isEqualTo(seconds(1));
    assertThat(look("PT5S", "PT20S")).isEqualTo(seconds(5));
    assertThat(look("PT1M", "PT1M")).isEqualTo(seconds(60));
  }

  private static Duration look(String one, String other) {
    return settings(
            ("TOTALS={\"likes\": {\"of\": \"posts/{post}/likes\", \"every\": \"%s\"},"
                    + " \"comments\": {\"of\": \"posts/{post}/comments\", \"every\": \"%s\"}}")
                .formatted(one, other))
        .runs()
        .look();
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
  void idleExit_isALook() {
    assertThat(settings("TOTALS=" + likes(", \"every\": \"PT2S\"")).runs().idleExit())
        .isEqualTo(seconds(2));
  }

  @Test
  void leaseThatIsNotSet_fitsThePeriod() {
    assertThat(timing(likes(", \"every\": \"PT2S\""), "").lease()).isEqualTo(seconds(6));
    assertThat(timing(likes(", \"every\": \"PT0.1S\""), "").lease()).isEqualTo(seconds(5));
  }

  @ParameterizedTest
  @CsvSource({
    "LEASE, PT2S",
    "LEASE, PT11M",
    "SLACK, -PT1S",
    "BURST, 1",
    "BURST, 101",
    "BURST, 1.5",
    "WORKERS, 0",
    "WORKERS, 65",
    "SWEEP_COUNTERS, 99",
    "RUN, PT501S",
    "IDLE_EXIT, PT71S",
    "SWEEP, PT501S",
    "NAME, google",
    "NAME, x",
    "FIRESTORE_DATABASE, Default"
  })
  void malformedOrOutOfRange_isRefusedByNameWithTheValueFound(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(name + "=" + value))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }

  @Test
  void allMistakes_areToldAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> settings("NAME=T\nWORKERS=0\nTOTALS={\"likes\": {\"of\": \"posts\"}, \"b\": 1}"))
        .withMessage(
            """
            likes.document: expected the document that the total is of, such as "stats/app", as "of" is at the root; found nothing
            b: expected an object such as {"of": "posts/{post}/likes"}; found 1
            NAME: expected 2 to 13 lower-case letters, digits and hyphens, a letter first and no hyphen last, other than goog...; found 'T'
            WORKERS: expected a whole number from 1 to 64; found '0'""");
  }

  /** A run has two looks. */
  @Test
  void run_isLongerForTheLongestPeriods() {
    assertThat(settings("TOTALS=" + likes(", \"every\": \"PT59S\"")).runs().run())
        .isEqualTo(seconds(118));
    assertThat(settings("TOTALS=" + likes(", \"every\": \"PT1M\"")).runs().run())
        .isEqualTo(seconds(70));
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
    assertThat(ranges).isEqualTo(2);
  }

  /** A bound, or the next value that is smaller or larger. */
  private static String beyond(String bound, int by) {
    return bound.startsWith("P")
        ? Duration.parse(bound).plusMillis(by).toString()
        : Long.toString(Long.parseLong(bound.replace(",", "")) + by);
  }

  /** Three writes a second make a counter live, however long a LEASE is. */
  @Test
  void burst_followsTheLease() {
    assertThat(timing(likes(""), "").burst()).isEqualTo(15);
    assertThat(timing(likes(", \"every\": \"PT10S\""), "").burst()).isEqualTo(90);
    assertThat(timing(likes(", \"every\": \"PT1M\""), "").burst()).isEqualTo(100);
    assertThat(timing(likes(", \"every\": \"PT10S\""), "BURST=7").burst()).isEqualTo(7);
  }
}
