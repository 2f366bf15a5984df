package dev.tallyroll.local.bill;

import static dev.tallyroll.local.bill.Tables.PRICES;
import static dev.tallyroll.local.bill.Tables.dollars;
import static dev.tallyroll.local.bill.Tables.load;
import static dev.tallyroll.local.bill.Tables.polled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.tallyroll.local.Invocation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BillTest {
  private static final Path HOME = Path.of("..", "..");
  private static final String LIKES = "sum= into.count=likes ";
  private static final String GUIDE =
      "deploy/local/src/main/java/dev/tallyroll/local/bill/README.md";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Runs a line such as {@code hold=PT10S --rate 1}. */
  private int run(String line) {
    return Invocation.run(
        new Bill(Tables.settings(line)),
        Tables.options(line),
        new PrintWriter(out),
        new PrintWriter(err));
  }

  private static String document(String path) throws Exception {
    return Files.readString(HOME.resolve(path));
  }

  /** Where they have changed, {@code target/bill.md} has those to copy. */
  @Test
  void tables_areTheDocuments() throws Exception {
    List<String> tables =
        List.of(Tables.text(), Tables.documents(), Tables.large(), Tables.firsts());
    Files.writeString(Path.of("target", "bill.md"), String.join("\n", tables));

    assertThat(document(GUIDE)).contains(tables);
    for (String line : Tables.TEN_LOADS) {
      assertThat(dollars(line)).isLessThan(Offer.extension(load(line)).dollars(PRICES));
    }
  }

  /** Where it has changed, {@code target/costs.svg} is the one to copy. */
  @Test
  void chart_isTheDocuments() throws Exception {
    Path drawn = Files.writeString(Path.of("target", "costs.svg"), Tables.chart().svg());

    assertThat(drawn).hasSameTextualContentAs(HOME.resolve(".github/costs.svg"));
  }

  /** A longer staleness never costs more than a shorter one. */
  @Test
  void longerPeriods_costNoMore() {
    for (String load : Tables.TEN_LOADS) {
      for (String read : List.of(load, load + " --listeners 100")) {
        assertThat(dollars("every=PT10S " + read)).isLessThanOrEqualTo(dollars(read));
        double second = dollars(polled("PT1S", read));
        double ten = dollars(polled("PT10S", read));
        assertThat(ten).isLessThanOrEqualTo(second);
        assertThat(dollars(polled("PT1M", read))).isLessThanOrEqualTo(ten);
      }
    }
  }

  /** From how many listeners of a counter on a reading of all shards costs more. */
  @ParameterizedTest
  @CsvSource({
    "events=false every=PT1S ROLLUP_CPU=.083 --rate 10, 2",
    "events=false every=PT1S ROLLUP_CPU=.083 --rate 1, 44",
    "--rate 10, 11"
  })
  void listeners_areAsManyAsInTheDocument(String line, int most) throws Exception {
    assertThat(isCheaper(line, most - 1)).isFalse();
    assertThat(isCheaper(line, most)).isTrue();
    assertThat(isCheaper("--rate 1", 10_000)).isFalse();
    assertThat(document(GUIDE))
        .contains(
            "At 10 increments a second, *always busy* is cheaper from 2 listeners on, the defaults from 11. At 1 a second, *always busy* is cheaper from 44 on; the defaults almost never.");
  }

  private static boolean isCheaper(String line, int listeners) {
    Load load = load(line + " --listeners " + listeners);
    return dollars(load) < Tables.readingAllShards(load);
  }

  /** The table of ways: what each costs by its own settings alone. */
  @ParameterizedTest
  @CsvSource({
    "a sharded counter, --shards 10",
    "a total for next to nothing, events=false every=PT1M",
    "'a counter, or ten, always busy', events=false every=PT1S ROLLUP_CPU=.083",
    "servers that count hundreds a second, --buffered 5",
    "'many listeners, who need not see each change', hold=PT10S",
    "'likes, ratings, members that are documents, up to 1,000 a post', sum= into.count=likes",
    "'likes, ratings, members that are documents, up to 1,000 a post', sum=stars into.count=ratings into.average=average",
    "'the extension''s clients, as they are', FOLD=PT1S FOLD_DOCUMENTS=pages/{page}"
  })
  void wayOfTheDocument_costsThis(String wish, String line) throws Exception {
    assertThat(cells(wish)).isEqualTo(costs(line + " ", Tables::dollars));
  }

  /** What else would do, in the same table. */
  @Test
  void otherWays_costThis() throws Exception {
    assertThat(cells("a function of my own that calls `sum()` each minute"))
        .isEqualTo(costs("", load -> Offer.sumEach(60, load).dollars(PRICES)));
    assertThat(cells("an instance of my own that calls `sum()` each second"))
        .isEqualTo(costs("", load -> Offer.sumEach(1, load).dollars(PRICES)));
    assertThat(cells("Firebase's extension, until March 2027"))
        .isEqualTo(costs("", load -> Offer.extension(load).dollars(PRICES)));
    assertThat(cells("no function: each client reads all shards"))
        .isEqualTo(costs("", Tables::readingAllShards));
  }

  /** At 1 and at 100, and so with 100 listeners. */
  private static List<String> costs(String line, ToDoubleFunction<Load> dollars) {
    return Stream.of(
            "--rate 1", "--rate 100", "--rate 1 --listeners 100", "--rate 100 --listeners 100")
        .map(load -> Tables.rounded(dollars.applyAsDouble(load(line + load))))
        .toList();
  }

  /** The figures of a row of the README's table, or of the one that it links to. */
  private static List<String> cells(String row) throws Exception {
    List<String> cells =
        (document("README.md") + document(GUIDE))
            .lines()
            .filter(line -> line.startsWith("| " + row + " |"))
            .flatMap(line -> Stream.of(line.split(" *[|] *", -1)))
            .toList();
    assertThat(cells).as(row).hasSizeGreaterThan(5);
    return cells.subList(cells.size() - 5, cells.size() - 1);
  }

  @Test
  void figuresInTheProse_areThoseOfTheFormula() throws Exception {
    String many = "--rate 10 --listeners 10000";
    double field = dollars("into.sum=likes --rate 1") - dollars("--rate 1");
    String tens = "--rate 0.1 --counters 100";
    assertThat(document("README.md"))
        .contains(
            "A post that gets a like a second costs $%s a month,"
                .formatted(Tables.rounded(dollars(LIKES))));
    assertThat(document(GUIDE))
        .contains("for $%.0f more at 1/s".formatted(field))
        .containsPattern(
            "10,000 listeners of a counter with 10 increments a second cost [$]%s a month, with `[^`]+` [$]%s[.]"
                .formatted(lines(many, "listeners"), lines("hold=PT10S " + many, "listeners")))
        .contains(
            "an increment each ten seconds cost $%.0f, with Tallyroll $%.0f."
                .formatted(Offer.sumEach(1, load(tens)).dollars(PRICES), dollars(tens)))
        .contains(
            "With 10,000 likes, a post costs $%s at one a second, and $%s at 100."
                .formatted(
                    Tables.rounded(dollars(LIKES + "--documents 10000")),
                    Tables.rounded(dollars(LIKES + "--rate 100 --documents 10000"))));
    String always = "--rate 1000";
    assertThat(document("deploy/README.md"))
        .contains(
            "If RollUp works without pause, it costs $%s a month, with `ROLLUP_CPU=.083` $%s, with 1 $%s"
                .formatted(
                    lines(always, "RollUp: "),
                    lines("ROLLUP_CPU=.083 " + always, "RollUp: "),
                    lines("ROLLUP_CPU=1 " + always, "RollUp: ")))
        .contains(
            "entries of requests would cost $%.0f a month at 100 events a second"
                .formatted(PRICES.dollars(Prices.Item.LOG_BYTE, 1_000 * 100.0 * Month.SECONDS)))
        .contains("for 1,000 counters $%s a month".formatted(reads(4 * 1_000 * Month.MINUTES / 60)))
        .contains("at a click a second $%s a month".formatted(reads(Month.SECONDS)))
        .contains(
            "1,000 shards of a busy counter cost $%s a month"
                .formatted(reads(1_000 * Month.SECONDS)));
    double increments = PRICES.dollars(Prices.Item.WRITE, 0.1 * Month.SECONDS);
    double quiet = dollars("--rate 0.2") - dollars("--rate 0.1") - increments;
    assertThat(document("functions/src/main/java/dev/tallyroll/README.md"))
        .contains(
            "A live counter costs $%s a month for RollUp's instance, and a sum and a write each second. A quiet one costs $%.0f for each increment a second."
                .formatted(lines(always, "RollUp: |roll-ups: "), 10 * quiet))
        .contains(
            "At one increment a second, BURST 2 costs $%s in place of $%s. For 100 counters with 5 a second each, BURST 50 costs $%s in place of $%s."
                .formatted(
                    Tables.rounded(dollars("BURST=2 --rate 1")),
                    Tables.rounded(dollars("--rate 1")),
                    Tables.rounded(dollars("BURST=50 --rate 5 --counters 100")),
                    Tables.rounded(dollars("--rate 5 --counters 100"))));
  }

  /** The dollars of some lines of Tallyroll's bill. */
  private static String lines(String options, String names) {
    return Tables.rounded(
        Offer.tallyroll(load(options)).lines().stream()
            .filter(line -> line.name().matches("(" + names + ").*"))
            .mapToDouble(line -> line.dollars(PRICES))
            .sum());
  }

  private static String reads(double number) {
    return Tables.rounded(PRICES.dollars(Prices.Item.READ, number));
  }

  /** The reason for the defaults of BURST and LEASE. */
  @Test
  void burstAndLease_areAsGoodAsOthers() {
    double usual = tenLoads("BURST=15");
    for (int burst = 12; burst <= 30; burst++) {
      assertThat(tenLoads("BURST=" + burst)).isCloseTo(usual, withinPercentage(1));
    }
    assertThat(tenLoads("LEASE=PT3S BURST=15")).isCloseTo(usual, withinPercentage(2));
    assertThat(tenLoads("LEASE=PT10S BURST=15")).isCloseTo(usual, withinPercentage(2));
  }

  private static double tenLoads(String settings) {
    return Tables.TEN_LOADS.stream().mapToDouble(load -> dollars(settings + " " + load)).sum();
  }

  @Test
  void billOfDocuments_hasNoExtension() {
    assertThat(run("sum= into.count=likes --new 50 --rate 2")).isZero();
    assertThat(out.toString())
        .contains("and 50 new ones a day. Of each, documents: 1,000; changes a second: 2")
        .contains("a loop that calls count() each second", "the changes alone")
        .doesNotContain("extension");
  }

  /** Counters below a variable can only have events. */
  @Test
  void periodsThatSettingsRefuse_areLeftOut() {
    assertThat(run("of=rooms/{room}/counters/{counter}/shards")).isZero();
    assertThat(out.toString()).contains("events\n").doesNotContain("each PT", "columns");
    assertThat(load("hold=PT10S").ways()).hasSize(3);
  }

  @Test
  void billInTheExtensionsPlace_hasEventsOnly() {
    assertThat(run("FOLD=PT1S FOLD_DOCUMENTS=pages/{page}")).isZero();
    assertThat(out.toString()).contains("events\n").doesNotContain("each PT", "columns");
  }

  @ParameterizedTest
  @CsvSource({
    "--staleness 1s --rate 0.1, events",
    "--staleness 1 --rate 10, '\"events\": false, \"every\": \"PT1S\" and ROLLUP_CPU=.083'",
    "ROLLUP_CPU=.333 --staleness 10s --rate 10, '\"events\": false, \"every\": \"PT10S\" and ROLLUP_CPU=.333'",
    "--staleness 60s --rate 0.01, '\"events\": false, \"every\": \"PT1M\" and ROLLUP_CPU=.083'",
    "--staleness 1s --rate 1 --counters 10000, events",
    "--staleness 1s --rate 10 --counters 100, '\"events\": false, \"every\": \"PT1S\" and ROLLUP_CPU=.333'",
    "--staleness 60s --rate 1 --counters 2000, '\"events\": false, \"every\": \"PT1M\" and ROLLUP_CPU=1'",
    "hold=PT30S --staleness 10s, none of these"
  })
  void staleness_namesTheCheaper(String line, String named) {
    assertThat(run(line)).isZero();
    assertThat(out.toString()).containsPattern("\nCheapest if .* calls: " + named);
  }

  /** The output names what it has priced, and a setting that the formula leaves out. */
  @Test
  void filesOfSettingsAndTotals_arePriced(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("my.env");
    Files.writeString(
        file,
        """
        # ours
        TOTALS=app/totals.json   # beside this file
        WORKERS=
        MAX_INSTANCES=5""");
    Files.createDirectory(folder.resolve("app"));
    Files.writeString(
        folder.resolve("app/totals.json"),
        """
        {"counters": {"of": "counters/{counter}/shards", "sum": "count", "hold": "PT10S"}}""");
    Bill bill = new Bill(Map.of());
    var options = List.of("--rate", "20", "--settings", file.toString());

    int status = Invocation.run(bill, options, new PrintWriter(out), new PrintWriter(err));

    assertThat(err.toString()).isEmpty();
    assertThat(status).isZero();
    assertThat(dollars(bill.load())).isEqualTo(dollars("hold=PT10S --rate 20"));
    assertThat(out.toString())
        .endsWith(
            """
            Entry that is priced: {"counters":{"of":"counters/{counter}/shards","sum":"count","hold":"PT10S"}}
            Settings that are priced: those of deploy/gcloud/settings.env.
            Not in the formula: MAX_INSTANCES=5
            """);
  }

  @Test
  void oneOfSeveralEntries_isPriced(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("totals.json"),
            """
            {
              "counters": {"of": "counters/{counter}/shards", "sum": "count"},
              "likes": {"of": "posts/{post}/likes", "into": {"count": "likes"}}
            }""");
    String given = "--totals " + file;

    assertThat(price(given + " --entry counters")).isEqualTo(dollars("--rate 1"));
    assertThat(price(given + " --entry likes")).isEqualTo(dollars(LIKES));
    assertThat(refusal(given)).startsWith("--entry: expected one of counters, likes; found 'none'");
    Files.writeString(file, "{\"likes\": {\"off\": \"x\"}}");
    err.getBuffer().setLength(0);
    assertThat(refusal(given))
        .startsWith(file + ": likes.off: expected one of the keys")
        .contains("\n" + file + ": likes.of: expected the path of a collection");
  }

  /** One event has two totals; each costs what it costs alone, and the app writes once. */
  @Test
  void siblings_shareTheirEvents() {
    Month one = Month.of(load(LIKES));
    Month two = Month.of(load(LIKES + " --siblings 1"));

    assertThat(two.increments()).isEqualTo(one.increments());
    assertThat(two.events()).isEqualTo(one.events());
    assertThat(two.shown()).isEqualTo(2 * one.shown());
    assertThat(dollars(LIKES + " --siblings 1"))
        .isBetween(1.5 * dollars(LIKES), 2 * dollars(LIKES));
  }

  /** Each is a write, an event and its millisecond, and no call of Firestore. */
  @Test
  void writesThatNoneCounts_costAnEvent() {
    Month counted = Month.of(load(LIKES));
    Month all = Month.of(load(LIKES + " --unmatched 4"));

    assertThat(all.events()).isEqualTo(counted.events() + 4 * Month.SECONDS);
    assertThat(all.increments()).isEqualTo(all.events());
    assertThat(all.sums()).isEqualTo(counted.sums());
    assertThat(all.writes()).isEqualTo(counted.writes());
    assertThat(all.handler()).isGreaterThan(counted.handler());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--siblings 1", "--unmatched 0.5"})
  void whatOnlyDocumentsHave_isRefusedForShards(String option) {
    assertThat(refusal(option)).contains(": expected nothing without --documents");
  }

  /**
   * By events, one sum a minute, however many there are; and for few, hardly more than one each.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.01, 0.1, 1, 100})
  void largeCounter_isSummedOnceAMinute(double rate) {
    String line = LIKES + "--documents 1000000 --rate " + rate;
    Month month = Month.of(load(line));

    double events = rate * Month.SECONDS;
    double sweeps = Month.MINUTES / 60;
    assertThat(month.sums()).isLessThan(Math.min(1.05 * Month.MINUTES, 1.5 * events) + sweeps);
    assertThat(month.sums()).isGreaterThan(Math.min(0.9 * Month.MINUTES, 0.5 * events));
    // Where likes are rare, the last of some is summed twice more.
    assertThat(dollars(line)).isLessThan(1.4 * dollars("every=PT1S " + line));
  }

  private static double price(String options) {
    Bill bill = new Bill(Map.of());
    new CommandLine(bill).parseArgs(options.split(" "));
    return dollars(bill.load());
  }

  private String refusal(String options) {
    int status =
        Invocation.run(
            new Bill(Map.of()),
            List.of(options.split(" ")),
            new PrintWriter(out),
            new PrintWriter(err));
    assertThat(status).isEqualTo(Invocation.BAD_OPTIONS);
    return err.toString();
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
  void memoryAndSumsOfDocuments_arePriced() {
    double usual = dollars("--rate 50 --shards 100");
    double sums = Month.of(load("--rate 50")).sums();

    assertThat(dollars("index=false every=PT1S --rate 50 --shards 100") - usual)
        .isCloseTo(PRICES.dollars(Prices.Item.READ, 99 * sums), within(0.01));
    double memory = PRICES.dollars(Prices.Item.GIB_SECOND, Month.SECONDS) / 4;
    assertThat(usual - dollars("ROLLUP_MEMORY=256Mi --rate 50 --shards 100"))
        .isCloseTo(memory, withinPercentage(5));
  }

  @Test
  void readers_pay() {
    // A read for a change, and 2 for views, a second, at $0.03 for 100,000 reads.
    String read = "--rate 20 --listeners 100 --views 2";
    assertThat(dollars(read) - dollars("--rate 20"))
        .isCloseTo(0.7776 * (1.03 * 100 + 2), within(4.0));
    assertThat(dollars(read) - dollars("hold=PT10S " + read)).isGreaterThan(0.7776 * 90);
  }

  /** The free 180,000 vCPU-seconds are more than a quiet month needs. */
  @Test
  void freeTier_isSubtracted() {
    assertThat(sum("--rate 0.1 --free")).isCloseTo(0, within(1e-9));
    assertThat(sum("--rate 100") - sum("--rate 100 --free")).isBetween(5.0, 20.0);
  }

  private static double sum(String line) {
    Bill bill = Tables.bill(line);
    return bill.sum(Offer.tallyroll(bill.load()));
  }

  /** A read for each 1,000, started, wherever the formula has a sum. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1000, 1", "1001, 2", "10001, 11"})
  void sum_costsAReadForEachThousand(int documents, int reads) {
    for (String way : List.of("--rate 1", "--rate 100", "events=false every=PT1S --rate 1")) {
      double sums = PRICES.dollars(Prices.Item.READ, Month.of(load(LIKES + way)).sums());
      double more = dollars(LIKES + way + " --documents " + documents) - dollars(LIKES + way);
      assertThat(more).isCloseTo((reads - 1) * sums, within(1e-6));
    }
  }

  /** A change is a write, or a delete; a delete of a live counter, a read more. */
  @Test
  void delete_costsLessThanAWriteButAReadIfLive() {
    String quiet = "--rate 0.1 --documents 100";
    assertThat(dollars(quiet) - dollars(quiet + " --deletes 50"))
        .isCloseTo((0.9e-6 - 0.1e-6) * 0.05 * Month.SECONDS, within(0.01));
    assertThat(readsASecond("--rate 10 --deletes 50") - readsASecond("--rate 10"))
        .isBetween(4.0, 5.0);
    assertThat(readsASecond("--rate 900 --deletes 100"))
        .as("calls one after the other")
        .isBetween(25.0, 32.0);
  }

  private static double readsASecond(String line) {
    return Month.of(load(line + " --documents 100")).reads() / Month.SECONDS;
  }

  @Test
  void figures_areOneWrite() {
    for (String fields :
        List.of("into.sum=likes", "into.count=number into.average=stats.average")) {
      double more = dollars("BURST=15 --documents 10 " + fields);
      assertThat(more - dollars("BURST=15 --documents 10")).isCloseTo(2.33, within(0.01));
    }
  }

  /** The counter's creation is a write, as are its entry, its field, and its settling. */
  @Test
  void firstLike_costsFourWritesAndADelete() {
    String none = LIKES + "--rate 0.0001";
    String some = none + " --new 1000";
    Month more = Month.of(load(some));
    double writes = more.writes() - Month.of(load(none)).writes();
    double firsts = 30_000;

    assertThat(more.deletes()).isEqualTo(firsts);
    assertThat(more.events()).isCloseTo(firsts, within(300.0));
    assertThat(writes).isBetween(3 * firsts, 3 * firsts + 2 * Month.MINUTES);
    assertThat(fields(some) - fields(none)).isCloseTo(firsts, within(1e-6));

    Month polled = Month.of(load("events=false every=PT1M " + some));
    assertThat(polled.writes()).isBetween(firsts, firsts + 1_000);
    assertThat(polled.sums()).as("those of a poll").isGreaterThan(10_000 * Month.MINUTES);
    assertThat(polled.lag()).as("15,000 in two polls").isBetween(90.0, 120.0);
  }

  /** Writes of the counters' own documents. */
  private static double fields(String line) {
    return Offer.tallyroll(load(line)).lines().stream()
        .filter(each -> each.name().startsWith("counters' own"))
        .mapToDouble(each -> each.items().get(Prices.Item.WRITE))
        .sum();
  }

  /** A poll of an unchanged counter costs a sum and a read, of a changed one a sum and a write. */
  @Test
  void poll_costsASumAndAReadOrAWrite() {
    Month month = Month.of(load("events=false every=PT1M --rate 0.0001 --counters 100"));
    double polls = 100 * Month.MINUTES;
    double sweeps = 100 * Month.MINUTES / 60;
    assertThat(month.events() + month.handler() + month.deletes()).isZero();
    assertThat(month.sums()).isCloseTo(polls + sweeps, within(1.0));
    assertThat(month.reads() + month.writes())
        .isCloseTo(2 * polls + 3 * (Month.MINUTES + sweeps), within(1.0));
    assertThat(month.writes()).isCloseTo(100 * 0.0001 * Month.SECONDS, withinPercentage(1));
    Month busy = Month.of(load("events=false every=PT1S --rate 1000"));
    assertThat(busy.writes() / Month.SECONDS).isBetween(1.0, 1.1);
    assertThat(busy.roller() / Month.SECONDS).isBetween(1.0, 1.1);
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
          --new -1                    | --new: expected a whole number from 0 to 1000000; found '-1'
          --views -1                  | --views: expected 0 to 1000000000; found '-1.0'
          --buffered -1               | --buffered: expected a whole number from 0 to 1000; found '-1'
          of=                         | counters.of: expected
          --shards 0                  | --shards: expected a whole number from 1 to 100000; found '0'
          hold=PT0.5S                 | counters.hold: expected
          BURST=1                     | BURST: expected a whole number from 2 to 100; found '1'
          every=soon                  | counters.every: expected
          every=PT1M RUN=PT30S        | RUN: expected
          events=false every=PT0.5S   | counters.every: expected
          events=false every=PT2M     | counters.every: expected
          events=false every=PT10S hold=PT5S | counters.hold: expected
          events=false of=rooms/{room}/counters/{counter}/shards | counters.events: expected true
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page} --entry likes | --entry: expected nothing beside FOLD; found 'likes'
          --entry likes               | --entry: expected one of counters; found 'likes'
          --staleness 2s              | --staleness: expected 1s, 10s or 60s; found '2s'
          every=PT2S LEASE=PT5S       | LEASE: expected
          FOLD=PT1S                   | FOLD_DOCUMENTS: expected
          --documents -1              | --documents: expected a whole number from 0 to 100000000; found '-1'
          --documents 5 --shards 10   | --shards: expected nothing beside --documents; found '10'
          sum= --shards 5             | --shards: expected nothing beside --documents; found '5'
          --documents 5 --buffered 5  | --buffered: expected nothing beside --documents; found '5'
          --deletes 5                 | --deletes: expected nothing without --documents; found '5'
          --documents 5 --deletes 101 | --deletes: expected a whole number from 0 to 100; found '101'
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page} --documents 5 | --documents: expected nothing beside FOLD; found '5'
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page} --new 5 | --new: expected nothing beside FOLD; found '5'
          into.average=a into.sum=a   | counters.into.sum: expected
          ROLLUP_MEMORY=1             | ROLLUP_MEMORY: expected a memory from 256Mi to 8Gi, such as 512Mi; found '1'
          ROLLUP_MEMORY=8Gi           | ROLLUP_MEMORY: expected at most 512Mi below .5 vCPU, 1Gi below 1 vCPU, 4Gi a vCPU, and 2Gi at least for 4; found '8Gi for ROLLUP_CPU=.333'
          ROLLUP_CPU=3                | ROLLUP_CPU: expected vCPUs: .08 to .999, 1, 2 or 4; found '3'
          HANDLER_CPU=.333 BILLING=instance | HANDLER_CPU: expected 1 with BILLING=instance; found '.333'
          BILLING=free                | BILLING: expected request or instance; found 'free'
          """)
  void badOptions_areRefused(String options, String refusal) {
    assertThat(run(options)).isEqualTo(2);
    assertThat(err.toString()).startsWith(refusal).hasLineCount(2);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "every=PT0.1S LEASE=PT0.5S --rate 20, 0.14",
    "every=PT20S --rate 20, 20.04",
    "hold=PT10S --rate 20, 11.04",
    "hold=PT10S events=false every=PT5S --rate 20, 15.15",
    "--rate 0.01, 0.19",
    "events=false every=PT1S, 1.15",
    "events=false every=PT1M --counters 10000, 69.2",
    "events=false every=PT1S --counters 10000, 18.5",
    "FOLD=PT2S FOLD_DOCUMENTS=pages/{page} --rate 20, 2.04"
  })
  void lag_isThatOfTheSettings(String line, double seconds) {
    assertThat(Month.of(load(line)).lag()).isCloseTo(seconds, within(0.05));
  }
}
