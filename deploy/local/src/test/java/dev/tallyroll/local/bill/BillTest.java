package dev.tallyroll.local.bill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.SettingsFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class BillTest {
  private static final Path HOME = Path.of("..", "..");
  private static final Tables TABLES =
      new Tables(Prices.read(), new Load(1, 1, Shards.incremented(10), 0, 0, false, 0, Map.of()));

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Runs a line such as {@code HOLD=PT10S --rate 1}. */
  private int run(String line) {
    return Invocation.run(
        new Bill(settings(line), HOME), options(line), new PrintWriter(out), new PrintWriter(err));
  }

  private static Map<String, String> settings(String line) {
    return Stream.of(line.split(" "))
        .filter(word -> word.matches("[A-Z_]+=.*"))
        .map(word -> word.split("=", 2))
        .collect(Collectors.toMap(words -> words[0], words -> words[1]));
  }

  private static List<String> options(String line) {
    return Stream.of(line.split(" ")).filter(word -> !word.matches("[A-Z_]+=.*")).toList();
  }

  /** The dollars of each way, Tallyroll first. */
  private static List<Double> ways(String line) {
    Bill bill = parsed(line);
    return Offer.all(bill.load()).stream().map(bill::sum).toList();
  }

  private static Bill parsed(String line) {
    Bill bill = new Bill(settings(line), HOME);
    new CommandLine(bill).parseArgs(options(line).toArray(String[]::new));
    return bill;
  }

  /** Where they have changed, {@code target/bill.md} has those to copy. */
  @Test
  void tables_areTheDocumentsAndCheaperThanTheExtension() throws Exception {
    String tables = TABLES.text();
    Files.writeString(Path.of("target", "bill.md"), tables);

    assertThat(Files.readString(HOME.resolve("deploy/local/README.md"))).contains(tables);
    List<String> sums = sums(tables.split("\n\n", -1)[0]);
    List<Double> ours = dollars(sums, "| **Tallyroll** ");
    List<Double> extensions = dollars(sums, "| **Firebase extension** ");
    assertThat(ours).hasSize(10);
    for (int i = 0; i < ours.size(); i++) {
      assertThat(ours.get(i)).isLessThan(extensions.get(i));
    }
  }

  /** The rows of a table that are sums. */
  private static List<String> sums(String table) {
    return table
        .lines()
        .filter(row -> row.matches("\\| (\\*\\*|the |a f|Tally).*"))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static List<Double> dollars(List<String> rows, String row) {
    return rows.stream()
        .filter(each -> each.startsWith(row))
        .flatMap(each -> Stream.of(each.substring(row.length()).split("[|* ]+")))
        .filter(cell -> !cell.isEmpty())
        .map(cell -> Double.valueOf(cell.replace(",", "")))
        .toList();
  }

  /** Where it has changed, {@code target/costs.svg} is the one to copy. */
  @Test
  void chart_isTheDocuments() throws Exception {
    Path drawn = Files.writeString(Path.of("target", "costs.svg"), TABLES.chart().svg());

    assertThat(drawn).hasSameTextualContentAs(HOME.resolve(".github/costs.svg"));
  }

  /** The ten loads, without listeners and with a hundred. */
  static Stream<Load> loads() {
    return Stream.of(0, Tables.LISTENERS)
        .flatMap(listeners -> TABLES.tenLoads().stream().map(load -> load.listenedBy(listeners)));
  }

  private static double dollars(Load load) {
    return Offer.tallyroll(load).dollars(Prices.read());
  }

  /** A longer staleness never costs more than a shorter one. */
  @ParameterizedTest
  @MethodSource("loads")
  void longerTicks_costNoMore(Load load) {
    for (Load way : List.of(load, load.inPolledCounters())) {
      double second = dollars(way);
      double ten = dollars(way.with("TICK=PT10S"));
      double minute = dollars(way.with("TICK=PT1M"));
      assertThat(ten).isLessThanOrEqualTo(second);
      assertThat(minute).isLessThanOrEqualTo(ten);
    }
    assertThat(dollars(load.eachMinute()))
        .isLessThanOrEqualTo(dollars(load.inPolledCounters().with("TICK=PT1M")));
  }

  /** Where our cheapest setting costs more than 1.02 of something as fresh, and ten cents more. */
  @Test
  void missesOfTheGoal_areThoseOfTheDocument() throws Exception {
    List<String> misses = new ArrayList<>();
    for (int seconds : Dial.STEPS) {
      Dial dial = new Dial(Prices.read(), seconds);
      for (Load load : loads().toList()) {
        double ours = dial.best(load).dollars();
        List<Offer> others = dial.others(load);
        for (int i = 0; i < others.size(); i++) {
          double dollars = others.get(i).dollars(Prices.read());
          if (dial.isAlternative(i, load) && ours > 1.02 * dollars && ours > dollars + 0.1) {
            misses.add(
                "| %d s | %s | %d | %s | %.2f%s | %.2f |"
                    .formatted(
                        seconds,
                        Tables.name(load),
                        load.listeners(),
                        others.get(i).name(),
                        ours,
                        dial.best(load).load().polls() ? Tables.POLLED : "",
                        dollars));
          }
        }
      }
    }
    assertThat(Files.readString(HOME.resolve("deploy/local/README.md")))
        .contains("--:|\n" + String.join("\n", misses) + "\n\n");
  }

  /** From how many listeners of a counter on a reading of all shards costs more. */
  @ParameterizedTest
  @CsvSource({
    "COUNTERS= POLLED=counters POLL=PT1S ROLLUP_CPU=.083 --rate 10, 2",
    "COUNTERS= POLLED=counters POLL=PT1S ROLLUP_CPU=.083 --rate 1, 47",
    "--rate 10, 11"
  })
  void listeners_areAsManyAsInTheDocument(String line, int most) throws Exception {
    assertThat(isCheaper(line, most - 1)).isFalse();
    assertThat(isCheaper(line, most)).isTrue();
    assertThat(isCheaper("--rate 1", 10_000)).isFalse();
    assertThat(Files.readString(HOME.resolve("README.md")))
        .contains(
            "the row *always busy* is cheaper from 2 listeners (10 increments a second) or 47 (1 a second), the defaults from 11 or hardly ever;");
  }

  private static boolean isCheaper(String line, int listeners) {
    String load = line + " --listeners " + listeners;
    return ways(load).get(0) < Offer.allShards(parsed(load).load()).dollars(Prices.read());
  }

  /** The table of ways: what each costs by its own settings alone. */
  @ParameterizedTest
  @CsvSource({
    "a live total of increments, --shards 10",
    "a total for next to nothing, COUNTERS= POLLED=counters TICK=PT1M",
    "'a counter, or ten, always busy', COUNTERS= POLLED=counters POLL=PT1S ROLLUP_CPU=.083",
    "servers that count hundreds a second, --buffered 5",
    "'many listeners, who need not see each change', HOLD=PT10S",
    "'likes, ratings, members that are documents', COUNTERS=posts SHARDS_COLLECTION=likes COUNT_FIELD= TOTAL_FIELD=likes",
    "'likes, ratings, members that are documents', COUNTERS=posts SHARDS_COLLECTION=ratings COUNT_FIELD=stars NUMBER_FIELD=ratings AVERAGE_FIELD=average",
    "'the extension''s clients, as they are', FOLD=PT1S FOLD_DOCUMENTS=pages/{page}"
  })
  void wayOfTheDocument_costsThis(String wish, String line) throws Exception {
    assertThat(dollars(wish))
        .isEqualTo(
            Stream.of(
                    "--rate 1",
                    "--rate 100",
                    "--rate 1 --listeners 100",
                    "--rate 100 --listeners 100")
                .map(load -> Tables.rounded(ways(line + " " + load).get(0)))
                .toList());
  }

  /** The figures of a row of the table of ways: at 1 and at 100, and so with 100 listeners. */
  private static List<String> dollars(String row) throws Exception {
    List<String> cells =
        Files.readAllLines(HOME.resolve("README.md")).stream()
            .filter(line -> line.startsWith("| " + row + " |"))
            .flatMap(line -> Stream.of(line.split(" *[|] *", -1)))
            .toList();
    assertThat(cells).as(row).hasSizeGreaterThan(5);
    return cells.subList(cells.size() - 5, cells.size() - 1);
  }

  @Test
  void fieldOfACounter_costsWhatTheDocumentSays() throws Exception {
    double more = ways("TOTAL_FIELD=likes --rate 1").get(0) - ways("--rate 1").get(0);
    assertThat(Files.readString(HOME.resolve("README.md")))
        .contains("With `TOTAL_FIELD=likes` a counter's total")
        .contains("for $%.0f more at 1/s".formatted(more));
  }

  /** What else would do, in the same table. */
  @Test
  void otherWays_costThis() throws Exception {
    List<Load> loads =
        Stream.of(0, 100)
            .flatMap(
                listeners ->
                    Stream.of(1, 100).map(rate -> TABLES.load().at(rate, 1).listenedBy(listeners)))
            .toList();
    Map<String, Function<Load, Offer>> others =
        Map.of(
            "a function of my own that calls `sum()` each minute",
            load -> Offer.sumEach(60, load),
            "an instance of my own that calls `sum()` each second",
            load -> Offer.sumEach(1, load),
            "Firebase's extension, until March 2027",
            Offer::extension,
            "no function: each client reads all shards",
            Offer::allShards);
    for (var other : others.entrySet()) {
      assertThat(dollars(other.getKey()))
          .as(other.getKey())
          .isEqualTo(
              loads.stream()
                  .map(load -> other.getValue().apply(load).dollars(Prices.read()))
                  .map(Tables::rounded)
                  .toList());
    }
  }

  /** The listeners' line of the bill. */
  @Test
  void manyListeners_costWhatTheDocumentSays() throws Exception {
    String many = "--rate 10 --listeners 10000";
    assertThat(Files.readString(HOME.resolve("README.md")))
        .contains(
            "10,000 listeners of a counter with 10 increments a second cost $%s a month, with `HOLD=PT10S` $%s."
                .formatted(lines(many, "listeners"), lines("HOLD=PT10S " + many, "listeners")));
  }

  /** The figures in the prose of two guides. */
  @Test
  void guides_sayWhatTheFormulaSays() throws Exception {
    String always = "--rate 1000";
    String operators = Files.readString(HOME.resolve("deploy/README.md"));
    assertThat(operators)
        .contains(
            "If RollUp works without pause, it costs $%s a month, with `ROLLUP_CPU=.083` $%s, with 1 $%s"
                .formatted(
                    lines(always, "RollUp: "),
                    lines("ROLLUP_CPU=.083 " + always, "RollUp: "),
                    lines("ROLLUP_CPU=1 " + always, "RollUp: ")))
        .contains(
            "entries of requests would cost $%.0f a month at 100 events a second"
                .formatted(ways("REQUEST_LOGS=all --rate 100").get(0) - ways("--rate 100").get(0)))
        .contains("for 1,000 counters $%s a month".formatted(reads(4 * 1_000 * Month.MINUTES / 60)))
        .contains("at a click a second $%s a month".formatted(reads(Month.SECONDS)))
        .contains(
            "1,000 shards of a busy counter cost $%s a month"
                .formatted(reads(1_000 * Month.SECONDS)));
    List<Double> more = ways("--rate 0.2");
    List<Double> less = ways("--rate 0.1");
    double increments = more.get(1) - less.get(1);
    double quiet = more.get(0) - less.get(0) - increments;
    assertThat(Files.readString(HOME.resolve("functions/README.md")))
        .contains(
            "A live counter costs $%s a month, for RollUp's instance, and a sum and a write each second. A quiet one costs $%.0f for each increment a second."
                .formatted(lines(always, "RollUp: |roll-ups: "), 10 * quiet));
  }

  /** The dollars of some lines of Tallyroll's bill. */
  private static String lines(String options, String names) {
    return Tables.rounded(
        Offer.tallyroll(parsed(options).load()).lines().stream()
            .filter(line -> line.name().matches("(" + names + ").*"))
            .mapToDouble(line -> line.dollars(Prices.read()))
            .sum());
  }

  private static String reads(double number) {
    return Tables.rounded(Prices.read().dollars(Prices.Item.READ, number));
  }

  /** The reason for the defaults of BURST and LEASE. */
  @Test
  void burstAndLease_areAsGoodAsTheDocumentSays() throws Exception {
    double usual = tenLoads("BURST=15");
    for (int burst = 12; burst <= 30; burst++) {
      assertThat(tenLoads("BURST=" + burst)).isCloseTo(usual, withinPercentage(1));
    }
    assertThat(tenLoads("LEASE=PT3S", "BURST=15")).isCloseTo(usual, withinPercentage(2));
    assertThat(tenLoads("LEASE=PT10S", "BURST=15")).isCloseTo(usual, withinPercentage(2));
    assertThat(Files.readString(HOME.resolve("functions/README.md")))
        .contains(
            "BURST 2 costs $%s in place of $%s at one increment a second; BURST 50 costs $%s in place of $%s for"
                .formatted(
                    Tables.rounded(ways("BURST=2 --rate 1").get(0)),
                    Tables.rounded(ways("--rate 1").get(0)),
                    Tables.rounded(ways("BURST=50 --rate 5 --counters 100").get(0)),
                    Tables.rounded(ways("--rate 5 --counters 100").get(0))));
  }

  private static double tenLoads(String... settings) {
    return TABLES.tenLoads().stream().mapToDouble(load -> dollars(load.with(settings))).sum();
  }

  @Test
  void settingsThatAreLeftOut_areThoseOfDeploy() throws Exception {
    Load load = TABLES.load();
    assertThat(Files.readString(HOME.resolve("deploy/gcloud/settings.env")))
        .contains("\nROLLUP_CPU=" + Load.ROLLUP_CPU + " ", "\nHANDLER_CPU=1 ")
        .contains(
            "\nROLLUP_MEMORY=" + Load.MEMORY + " ", "\nCOUNTERS=" + SettingsFile.COUNTERS + " ")
        .contains("\nBILLING=request ", "\nREQUEST_LOGS=errors ");
    assertThat(load.rollerCpu()).isEqualTo(Double.parseDouble(Load.ROLLUP_CPU));
    assertThat(load.handlerCpu()).isEqualTo(1);
    assertThat(load.byInstance()).isFalse();
    assertThat(load.requestLogs()).isFalse();
  }

  @Test
  void staleness_isPrintedAsLinesOfTheSettingsFile() {
    assertThat(run("--staleness 60s --rate 10")).isZero();
    assertThat(out.toString())
        .contains(
            "\n    COUNTERS=\n    POLLED=counters\n    POLL=PT1M\n    TICK=PT1M\n", "TALLYROLL");

    assertThat(run("--staleness 5s")).isEqualTo(2);
    assertThat(err.toString()).contains("--staleness: expected 1s, 10s or 60s; found '5s'");
  }

  /** The output names what it has priced, and a setting that the formula leaves out. */
  @Test
  void fileOfSettings_isPricedAndTheEnvironmentWins(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("my.env");
    Files.writeString(
        file,
        """
        # ours
        COUNTERS=                # no trigger
        POLLED=counters
        LEASE=
        TICK=PT1M
        BILLING=request
        IDLE_EXIT=PT1M""");
    String given = "--rate 1 --settings " + file;

    assertThat(ways(given)).isEqualTo(ways("COUNTERS= POLLED=counters TICK=PT1M --rate 1"));
    assertThat(run(given)).isZero();
    assertThat(out.toString())
        .endsWith(
            """

            Settings that are priced: COUNTERS= POLLED=counters TICK=PT1M; else those of deploy/gcloud/settings.env.
            Not in the formula: IDLE_EXIT=PT1M
            """);
    assertThat(ways("TICK=PT2S " + given)).isEqualTo(ways("COUNTERS= POLLED=counters TICK=PT2S"));
  }

  @ParameterizedTest
  @CsvSource({
    "TICKS=PT1S, expected KEY=VALUE with a key of deploy/gcloud/settings.env; found 'TICKS=PT1S'",
    "export, expected KEY=VALUE with a key of deploy/gcloud/settings.env; found 'export'",
  })
  void fileWithAnotherLine_isRefused(String line, String refusal, @TempDir Path folder)
      throws Exception {
    Path file = Files.writeString(folder.resolve("my.env"), line);

    assertThat(run("--settings " + file)).isEqualTo(2);
    assertThat(err.toString()).startsWith(file + ": " + refusal);
    assertThat(run("--settings " + folder)).isEqualTo(2);
    assertThat(err.toString()).contains("--settings: expected a file that can be read; found ");
  }

  @Test
  void settingsWithoutOthers_areThoseOfDeploy() {
    assertThat(run("--rate 1")).isZero();
    assertThat(out.toString())
        .endsWith("\nSettings that are priced: those of deploy/gcloud/settings.env.\n");
  }

  /** The settings for it are those of where the counters are. */
  @Test
  void staleness_isThatOfPolledCountersOnlyIfItSaysSo() {
    assertThat(run("COUNTERS=posts --staleness 1s --rate 10")).isZero();
    assertThat(out.toString())
        .contains(
            "\n    COUNTERS=\n    POLLED=posts\n    POLL=PT1S\n", "TALLYROLL, polled counters ")
        .contains("priced: COUNTERS=posts; else")
        .doesNotContain("your settings, polled");
    String polled = out.toString();
    out.getBuffer().setLength(0);

    assertThat(run("COUNTERS= POLLED=posts --staleness 1s --rate 10")).isZero();
    assertThat(out.toString())
        .contains(polled.substring(0, polled.indexOf("  with your")))
        .contains("  with your settings, polled counters ");
    out.getBuffer().setLength(0);

    assertThat(run("COUNTERS= POLLED=posts --staleness 1s --rate 0.01")).isZero();
    assertThat(out.toString())
        .contains("\n    COUNTERS=posts\n    POLLED=\n")
        .doesNotContain("TALLYROLL, polled");
    out.getBuffer().setLength(0);

    assertThat(run("COUNTERS=rooms/{room}/counters --staleness 60s --rate 10")).isZero();
    assertThat(out.toString()).contains("TALLYROLL").doesNotContain("POLLED=rooms");
  }

  @Test
  void memoryAndSumsOfDocuments_arePriced() {
    double usual = ways("--rate 50 --shards 100").get(0);
    double sums = Month.of(parsed("--rate 50").load()).sums();

    assertThat(ways("SUM=documents --rate 50 --shards 100").get(0) - usual)
        .isCloseTo(Prices.read().dollars(Prices.Item.READ, 99 * sums), within(0.01));
    double memory = Prices.read().dollars(Prices.Item.GIB_SECOND, Month.SECONDS) / 2;
    assertThat(ways("ROLLUP_MEMORY=1Gi --rate 50 --shards 100").get(0) - usual)
        .isCloseTo(memory, withinPercentage(5));
  }

  /** Documents that the settings count are as many as a sum reads at once. */
  @Test
  void settingsThatCountDocuments_needNoNumberOfThem() {
    assertThat(ways("COUNT_FIELD= --rate 2"))
        .isEqualTo(ways("COUNT_FIELD= --documents 1000 --rate 2"));
    assertThat(run("COUNT_FIELD= --shards 5")).isEqualTo(2);
    assertThat(err.toString()).startsWith("--shards: expected nothing beside --documents; found");
  }

  @Test
  void readers_pay() {
    List<Double> without = ways("--rate 20");
    List<Double> with = ways("--rate 20 --listeners 100 --views 2 --shards 50");

    // A read for a change, and 2 for views, a second, at $0.03 for 100,000 reads.
    assertThat(more(without, with, 0)).isCloseTo(0.7776 * (1.03 * 100 + 2), within(4.0));
    assertThat(more(without, with, 1)).isCloseTo(0.7776 * (20 * 100 + 2), within(1.0));
    assertThat(more(without, with, 2)).isCloseTo(0.7776 * (20 * 100 + 2 * 50), within(1.0));
    assertThat(more(without, with, 3)).isCloseTo(0.7776 * (100 + 2), within(1.0));
  }

  private static double more(List<Double> without, List<Double> with, int way) {
    return with.get(way) - without.get(way);
  }

  @Test
  void totalsInTheCountersOwnDocuments_areAWriteMoreEach() {
    double without = ways("--rate 50").get(0);
    double with = ways("TOTAL_FIELD=likes --rate 50").get(0);

    assertThat(with - without).isCloseTo(2.33, within(0.1)); // a write a second
  }

  @Test
  void shardsAboveAThousand_makeASumDearer() {
    double few = ways("--rate 50 --shards 1000").get(0);
    double many = ways("--rate 50 --shards 1001").get(0);

    assertThat(many - few).isCloseTo(0.78, within(0.1)); // a read a second
  }

  /** The free 180,000 vCPU-seconds are more than a quiet month needs. */
  @Test
  void freeTier_isSubtracted() {
    assertThat(ways("--rate 0.1 --free").get(0)).isCloseTo(0, within(1e-9));
    double all = ways("--rate 100").get(0);
    double less = ways("--rate 100 --free").get(0);
    assertThat(all - less).isBetween(5.0, 20.0);
  }

  /** The dollars of a change in the advice; its sum is that of the bill with it. */
  private double advised(String change) {
    return out.toString()
        .lines()
        .filter(line -> line.startsWith("  " + change) && line.contains(" saves "))
        .map(line -> Double.valueOf(line.replaceFirst(".* ", "").replace(",", "")))
        .findFirst()
        .orElse(Double.POSITIVE_INFINITY);
  }

  @Test
  void advice_isWhatEachChangeSaves() {
    String load = "--rate 100 --listeners 10";
    assertThat(run(load)).isZero();

    for (String[] change :
        new String[][] {
          {"polled counters", " --polled"},
          {"buffered increments", " --buffered 5"},
          {"HOLD=PT10S", " HOLD=PT10S"},
          {"BILLING=instance", " BILLING=instance"}
        }) {
      double advised = advised(change[0]);
      assertThat(advised).as(change[0]).isCloseTo(ways(load + change[1]).get(0), within(0.01));
    }
  }

  /** The lines are for the settings file; the ways of counting beside them are comments. */
  @Test
  void bestTogether_isAdvisedAsSettingsLines() {
    String load = "--rate 100 --listeners 10";
    assertThat(run(load)).isZero();

    assertThat(out.toString())
        .containsPattern(
            """
            the best together, as lines of the settings file: .*
                HOLD=PT10S
                # polled counters: .*
                # buffered increments, .*

            """);
    assertThat(advised("the best together"))
        .isCloseTo(ways(load + " HOLD=PT10S --polled --buffered 5").get(0), within(0.01))
        .isLessThan(advised("buffered increments"));
  }

  @Test
  void changeThatSavesNothing_isNotAdvised() {
    assertThat(run("--rate 0.01")).isZero();
    assertThat(advised("polled")).isInfinite();
    assertThat(advised("BILLING")).isInfinite();
  }

  @Test
  void hold_isForListeners() {
    double each = ways("--rate 10 --listeners 1000").get(0);
    double held = ways("--rate 10 --listeners 1000 HOLD=PT10S").get(0);
    assertThat(held).isLessThan(each / 4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --rate 0                    | --rate: expected 0.0001 to 100000; found '0.0'
          --rate NaN                  | --rate: expected 0.0001 to 100000; found 'NaN'
          --rate 200 --counters 501   | --rate: expected 100000 for all counters at most; found '200.0'
          --counters 0                | --counters: expected a whole number from 1 to 10000; found '0'
          --views -1                  | --views: expected 0 to 1000000000; found '-1.0'
          --buffered -1               | --buffered: expected a whole number from 0 to 1000; found '-1'
          HOLD=PT0.5S                 | HOLD: expected
          BURST=1                     | BURST: expected a whole number from 2 to 100; found '1'
          TICK=soon                   | TICK: expected
          TICK=PT1M RUN=PT30S         | RUN: expected
          --staleness 2s              | --staleness: expected 1s, 10s or 60s; found '2s'
          TICK=PT2S LEASE=PT5S        | LEASE: expected
          FOLD=PT1S                   | FOLD_DOCUMENTS: expected
          --documents -1              | --documents: expected a whole number from 0 to 100000000; found '-1'
          --documents 5 --shards 10   | --shards: expected nothing beside --documents; found '10'
          --documents 5 --buffered 5  | --buffered: expected nothing beside --documents; found '5'
          --deletes 5                 | --deletes: expected nothing without --documents; found '5'
          --documents 5 --deletes 101 | --deletes: expected a whole number from 0 to 100; found '101'
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page} --documents 5 | --documents: expected nothing beside FOLD; found '5'
          AVERAGE_FIELD=a TOTAL_FIELD=a | AVERAGE_FIELD: expected
          ROLLUP_MEMORY=1             | ROLLUP_MEMORY: expected a memory such as 512Mi; found '1'
          ROLLUP_CPU=0                | ROLLUP_CPU: expected a share of a vCPU; found '0'
          BILLING=free                | BILLING: expected request or instance; found 'free'
          """)
  void badOptions_areRefused(String options, String refusal) {
    assertThat(run(options)).isEqualTo(2);
    assertThat(err.toString()).startsWith(refusal).hasLineCount(2);
    assertThat(out.toString()).isEmpty();
  }

  /** A tick longer than the usual HOLD has a HOLD of its own in the advice. */
  @ParameterizedTest
  @CsvSource({
    "TICK=PT0.1S LEASE=PT0.5S --rate 20, 0.14",
    "TICK=PT20S --rate 20, 20.04",
    "HOLD=PT10S --rate 20, 11.04",
    "--rate 0.01, 0.19",
    "--rate 100000, 1.04",
    "--rate 20 --polled, 1.04",
    "--rate 0.1 --polled, 61.04",
    "FOLD=PT2S FOLD_DOCUMENTS=pages/{page} --rate 20 --polled, 2.04"
  })
  void lag_isThatOfTheSettings(String line, double seconds) {
    assertThat(run(line)).isZero();
    assertThat(out.toString()).contains("about %.2f seconds at the most".formatted(seconds));
  }
}
