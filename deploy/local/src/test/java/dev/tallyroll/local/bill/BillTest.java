package dev.tallyroll.local.bill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.Invocation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BillTest {
  private static final Path HOME = Path.of("..", "..");
  private static final String README_ROWS =
      "\\| (\\*\\*|the |a f|Tallyroll, (polled and|in the)).*";
  private static final Path PRICES = HOME.resolve("deploy/prices.json");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String options) {
    return Invocation.run(
        new Bill(),
        List.of((options + " --prices " + PRICES).split(" ")),
        new PrintWriter(out),
        new PrintWriter(err));
  }

  private JsonArray ways(String options) {
    out.getBuffer().setLength(0);
    assertThat(run(options + " --json")).isZero();
    return JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("ways");
  }

  private static double dollars(JsonElement way) {
    return way.getAsJsonObject().get("dollars").getAsDouble();
  }

  @Test
  void profiles_areTheDocumentsAndCheaperThanTheExtension() throws Exception {
    assertThat(run("--profiles")).isZero();

    assertThat(Files.readString(HOME.resolve("deploy/local/README.md"))).contains(out.toString());
    assertThat(Files.readString(HOME.resolve("README.md"))).contains(threeLoads(out.toString()));
    List<String> sums = sums(out.toString().split("\n\n", -1)[0]);
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

  /** The README's table: some rows, and of both tables the columns of 1, 10 and 100 a second. */
  private static String threeLoads(String tables) {
    List<String> without = sums(tables.split("\n\n", -1)[0]);
    List<String> with = sums(tables.split("\n\n", -1)[1]);
    without.removeIf(row -> !row.matches(README_ROWS));
    with.removeIf(row -> !row.matches(README_ROWS));
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < without.size(); i++) {
      String[] few = without.get(i).split(" *\\| *", -1);
      String[] many = with.get(i).split(" *\\| *", -1);
      rows.add(
          "| %s | %s | %s | %s | %s | %s | %s |"
              .formatted(few[1], few[4], few[6], few[7], many[4], many[6], many[7]));
    }
    return String.join("\n", rows);
  }

  private static List<Double> dollars(List<String> rows, String row) {
    return rows.stream()
        .filter(each -> each.startsWith(row))
        .flatMap(each -> Stream.of(each.substring(row.length()).split("[|* ]+")))
        .filter(cell -> !cell.isEmpty())
        .map(cell -> Double.valueOf(cell.replace(",", "")))
        .toList();
  }

  @Test
  void chart_isTheDocuments(@TempDir Path folder) throws Exception {
    Path drawn = folder.resolve("costs.svg");

    assertThat(run("--chart " + drawn)).isZero();

    assertThat(drawn).hasSameTextualContentAs(HOME.resolve(".github/costs.svg"));
  }

  @Test
  void lines_addUp() {
    for (JsonElement way : ways("--rate 3 --counters 7 --listeners 2 --views 0.5")) {
      double sum = 0;
      for (JsonElement line : way.getAsJsonObject().getAsJsonArray("lines")) {
        sum += dollars(line);
      }
      assertThat(sum).isCloseTo(dollars(way), within(1e-6));
    }
  }

  @Test
  void readers_pay() {
    JsonArray without = ways("--rate 20");
    JsonArray with = ways("--rate 20 --listeners 100 --views 2 --shards 50");

    // A read for a change, and 2 for views, a second, at $0.03 for 100,000 reads.
    assertThat(more(without, with, 0)).isCloseTo(0.7776 * (1.03 * 100 + 2), within(4.0));
    assertThat(more(without, with, 1)).isCloseTo(0.7776 * (20 * 100 + 2), within(1.0));
    assertThat(more(without, with, 2)).isCloseTo(0.7776 * (20 * 100 + 2 * 50), within(1.0));
    assertThat(more(without, with, 3)).isCloseTo(0.7776 * (100 + 2), within(1.0));
  }

  private static double more(JsonArray without, JsonArray with, int way) {
    return dollars(with.get(way)) - dollars(without.get(way));
  }

  @Test
  void totalsInTheCountersOwnDocuments_areAWriteMoreEach() {
    double without = dollars(ways("--rate 50").get(0));
    double with = dollars(ways("--rate 50 --total-field").get(0));

    assertThat(with - without).isCloseTo(2.33, within(0.1)); // a write a second
  }

  @Test
  void shardsAboveAThousand_makeASumDearer() {
    double few = dollars(ways("--rate 50 --shards 1000").get(0));
    double many = dollars(ways("--rate 50 --shards 1001").get(0));

    assertThat(many - few).isCloseTo(0.78, within(0.1)); // a read a second
  }

  /** The free 180,000 vCPU-seconds are more than a quiet month needs. */
  @Test
  void freeTier_isSubtracted() {
    assertThat(dollars(ways("--rate 0.1 --free").get(0))).isCloseTo(0, within(1e-9));
    double all = dollars(ways("--rate 100").get(0));
    double less = dollars(ways("--rate 100 --free").get(0));
    assertThat(all - less).isBetween(20.0, 60.0);
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
          {"both: polled", " --polled --buffered 5"},
          {"HOLD=PT10S", " --hold PT10S"},
          {"BILLING=instance", " --by-instance"},
          {"REQUEST_LOGS=errors", " --exclude-request-logs"}
        }) {
      double advised = advised(change[0]);
      assertThat(advised)
          .as(change[0])
          .isCloseTo(dollars(waysAfter(load + change[1]).get(0)), within(0.01));
    }
  }

  /** The ways of another load; the output stays. */
  private JsonArray waysAfter(String options) {
    String before = out.toString();
    JsonArray ways = ways(options);
    out.getBuffer().setLength(0);
    out.append(before);
    return ways;
  }

  @Test
  void changeThatSavesNothing_isNotAdvised() {
    assertThat(run("--rate 0.01")).isZero();
    assertThat(advised("polled")).isInfinite();
    assertThat(advised("BILLING")).isInfinite();
  }

  @Test
  void hold_isForListeners() {
    double each = dollars(ways("--rate 10 --listeners 1000").get(0));
    double held = dollars(ways("--rate 10 --listeners 1000 --hold PT10S").get(0));
    assertThat(held).isLessThan(each / 4);
  }

  @Test
  void otherPrices_areTaken(@TempDir Path folder) throws Exception {
    JsonObject file = JsonParser.parseString(Files.readString(PRICES)).getAsJsonObject();
    for (var price : file.getAsJsonObject("prices").entrySet()) {
      JsonObject one = price.getValue().getAsJsonObject();
      one.addProperty("dollars", 2 * one.get("dollars").getAsDouble());
    }
    Path twice = Files.writeString(folder.resolve("prices.json"), file.toString());
    double single = dollars(ways("--rate 1").get(0));
    out.getBuffer().setLength(0);

    int status =
        Invocation.run(
            new Bill(),
            List.of("--rate=1", "--json", "--prices=" + twice),
            new PrintWriter(out),
            new PrintWriter(err));

    assertThat(status).isZero();
    JsonObject printed = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(dollars(printed.getAsJsonArray("ways").get(0))).isCloseTo(2 * single, within(1e-6));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --rate 0                    | --rate: expected 0.0001 to 2000; found '0.0'
          --rate NaN                  | --rate: expected 0.0001 to 2000; found 'NaN'
          --rate 3 --counters 700     | --rate: expected 2000 for all counters at most; found '3.0'
          --counters 0                | --counters: expected a whole number from 1 to 10000; found '0'
          --views -1                  | --views: expected 0 to 1000000000; found '-1.0'
          --buffered -1               | --buffered: expected a whole number from 0 to 1000; found '-1'
          --hold PT0.5S               | HOLD: expected
          --burst 1                   | BURST: expected a whole number from 2 to 100; found '1'
          --tick soon                 | TICK: expected
          --roller-cpu 0              | --roller-cpu: expected a share of a vCPU, to 8; found '0.0'
          """)
  void badOptions_areRefused(String options, String refusal) {
    assertThat(run(options)).isEqualTo(2);
    assertThat(err.toString()).contains(refusal);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void chartInAMissingFolder_isRefused(@TempDir Path folder) {
    assertThat(run("--chart " + folder.resolve("missing/costs.svg"))).isEqualTo(2);
    assertThat(err.toString()).contains("--chart: expected a file that can be written; found");
  }

  /** The times are the shortest that settings allow. There are ten increments in a LEASE. */
  @Test
  void shortTicks_arePlayed() {
    assertThat(run("--tick PT0.1S --lease PT0.5S --rate 20")).isZero();
    assertThat(out.toString()).containsPattern("behind its shards for 0[.][0-9]+ seconds");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          not JSON                             | found what is not JSON of that form
          {}                                   | found none
          {"prices":{"read":{"dollars":1}}}    | of read (dollars, per, free) found
          """)
  void badPrices_areRefused(String text, String refusal, @TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("bad.json"), text);

    int status =
        Invocation.run(
            new Bill(), List.of("--prices=" + file), new PrintWriter(out), new PrintWriter(err));

    assertThat(status).isEqualTo(2);
    assertThat(err.toString()).contains("--prices: expected a file as deploy/prices.json", refusal);
  }
}
