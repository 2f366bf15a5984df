package dev.tallyroll.local.bill;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.tallyroll.local.bill.Chart.Curve;
import dev.tallyroll.local.bill.Chart.Panel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Loads side by side, in Markdown, and the chart. */
final class Tables {
  static final Prices PRICES = Prices.read();
  private static final String SETTING = "[A-Za-z._]+=.*";
  private static final String LISTENERS = " --listeners 100";

  /** One counter at seven rates, and several counters at three rates. */
  static final List<String> TEN_LOADS =
      List.of(
          "--rate 0.01",
          "--rate 0.1",
          "--rate 1",
          "--rate 4",
          "--rate 10",
          "--rate 100",
          "--rate 1000",
          "--rate 0.1 --counters 100",
          "--rate 1 --counters 100",
          "--rate 0.01 --counters 10000");

  private static final String LIKES = "sum= into.count=likes ";

  /** A way to count a load, which is a line: a row. */
  private record Way(String name, Function<String, Offer> offer) {
    static Way tallyroll(String name, String change) {
      return new Way(name, line -> Offer.tallyroll(load(line + " " + change)));
    }

    static Way polled(String period) {
      return new Way(
          "Tallyroll, without events, `" + period + "`",
          line -> Offer.tallyroll(Tables.polled(period, line)));
    }

    static Way each(double seconds) {
      return new Way(
          Offer.sumEach(seconds, load("--rate 1")).name(),
          line -> Offer.sumEach(seconds, load(line)));
    }

    double dollars(String line) {
      return offer.apply(line).dollars(PRICES);
    }
  }

  private static final Way EXTENSION =
      new Way("**Firebase extension**", line -> Offer.extension(load(line)));

  private static final Way ALONE =
      new Way("the increments alone", line -> Offer.changesAlone(load(line)));

  private static final String FOLD = "FOLD=PT1S FOLD_DOCUMENTS=pages/{page}";

  private static final List<Way> WAYS =
      List.of(
          Way.tallyroll("**Tallyroll, events**", ""),
          Way.polled("PT1S"),
          Way.polled("PT10S"),
          Way.polled("PT1M"),
          Way.tallyroll("Tallyroll, events, buffered", "--buffered 5"),
          Way.tallyroll("Tallyroll, in the extension's place", FOLD),
          Way.tallyroll("Tallyroll, the same, each on a new shard", FOLD + " --shards 100000000"),
          Way.each(1),
          Way.each(10),
          Way.each(60),
          EXTENSION,
          ALONE);

  private static final List<Way> OF_DOCUMENTS =
      List.of(
          Way.tallyroll("**likes, in a field of the post**", ""),
          Way.tallyroll("likes, in the roll-up only", "into.count="),
          Way.polled("PT1S"),
          Way.polled("PT10S"),
          Way.polled("PT1M"),
          new Way(
              "a function that calls `count()` each minute", line -> Offer.sumEach(60, load(line))),
          new Way("the changes alone", line -> Offer.changesAlone(load(line))));

  private Tables() {}

  /**
   * The settings of a line such as {@code hold=PT10S WORKERS=2 --rate 1}; the last counts. Words in
   * small letters are keys of the entry, which else is that of Google's samples; empty ones are
   * left out.
   */
  static Map<String, String> settings(String line) {
    Map<String, String> words =
        Stream.of(line.split(" "))
            .filter(word -> word.matches(SETTING))
            .map(word -> word.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, last) -> last));
    Map<String, String> settings = new HashMap<>(words);
    settings.keySet().removeIf(word -> Character.isLowerCase(word.charAt(0)));
    if (!settings.containsKey("FOLD")) {
      Map<String, String> keys =
          new TreeMap<>(Map.of("of", "counters/{counter}/shards", "sum", "count"));
      keys.putAll(words);
      keys.keySet().removeAll(settings.keySet());
      keys.values().removeIf(String::isEmpty);
      settings.put("TOTALS", totals(keys));
    }
    return settings;
  }

  private static String totals(Map<String, String> keys) {
    JsonObject entry = new JsonObject();
    JsonObject into = new JsonObject();
    keys.forEach(
        (key, value) -> {
          boolean isText = !value.matches("true|false|[0-9.]+");
          JsonElement json = isText ? new JsonPrimitive(value) : JsonParser.parseString(value);
          (key.startsWith("into.") ? into : entry).add(key.replace("into.", ""), json);
        });
    if (into.size() > 0) {
      entry.add("into", into);
    }
    JsonObject file = new JsonObject();
    file.add("counters", entry);
    return file.toString();
  }

  static List<String> options(String line) {
    return Stream.of(line.split(" ")).filter(word -> !word.matches("|" + SETTING)).toList();
  }

  static Bill bill(String line) {
    Bill bill = new Bill(settings(line));
    new CommandLine(bill).parseArgs(options(line).toArray(String[]::new));
    return bill;
  }

  static Load load(String line) {
    return bill(line).load();
  }

  static Load polled(String period, String line) {
    return load(line).polled(Duration.parse(period)).orElseThrow();
  }

  /** The dollars that Tallyroll costs in 30 days. */
  static double dollars(String line) {
    return dollars(load(line));
  }

  static double dollars(Load load) {
    return Offer.tallyroll(load).dollars(PRICES);
  }

  /** Each listener reads each change of a shard, and each view reads all shards. */
  static double readingAllShards(Load load) {
    double changes = load.rate() * load.counters() * Month.SECONDS;
    return Offer.changesAlone(load).dollars(PRICES)
        + PRICES.dollars(Prices.Item.READ, changes * load.listeners());
  }

  /**
   * A column for each load: each line of the bill above zero, and the sums of the ways to count.
   */
  static String text() {
    List<Offer> ours = TEN_LOADS.stream().map(Tables::load).map(Offer::tallyroll).toList();
    Stream<String> lines =
        IntStream.range(0, ours.get(0).lines().size())
            .mapToObj(i -> ours.stream().map(offer -> offer.lines().get(i)).toList())
            .filter(all -> all.stream().anyMatch(line -> line.dollars(PRICES) > 0))
            .map(all -> cells(all.get(0).name(), all, line -> rounded(line.dollars(PRICES))));
    Stream<String> all = Stream.concat(lines, rows(WAYS, TEN_LOADS));
    return table("increments a second", TEN_LOADS, Tables::name, all);
  }

  /** Documents at 1 and 100 changes a second, over few and many. */
  static String documents() {
    List<String> loads =
        Stream.of(100, 10_000)
            .flatMap(
                number ->
                    Stream.of(1, 100)
                        .map(rate -> LIKES + "--rate " + rate + " --documents " + number))
            .toList();
    return table(
        "changes of documents",
        loads,
        line -> "%s/s over %,d".formatted(name(line), load(line).shards().number()),
        rows(OF_DOCUMENTS, loads));
  }

  /** A row for each number of documents: how old a total is, and what it costs. */
  static String large() {
    List<String> columns =
        List.of(
            "seconds old", "1/s", "100/s", "`every` PT1S: 1/s", "100/s", "shards: 1/s", "100/s ");
    return table(
        "documents",
        columns,
        name -> name.strip(),
        Stream.of(1_000, 30_000, 100_000, 1_000_000, 10_000_000)
            .map(
                number -> {
                  String documents = LIKES + "--documents " + number;
                  Stream<String> cells =
                      Stream.concat(
                          Stream.of("%.0f".formatted(Month.of(load(documents)).lag())),
                          Stream.of(documents, "every=PT1S " + documents, "")
                              .flatMap(line -> Stream.of(line + " --rate 1", line + " --rate 100"))
                              .map(line -> rounded(dollars(line))));
                  return cells("%,d".formatted(number), cells.toList(), cell -> cell);
                }));
  }

  /** First likes of so many new posts a day, without what one post costs that is next to idle. */
  static String firsts() {
    List<Integer> numbers = List.of(100, 1_000, 10_000);
    String none = LIKES + "--rate 0.0001";
    Stream<String> rows =
        rows(
            Stream.of(0, 4, 5, 6).map(OF_DOCUMENTS::get).toList(),
            numbers,
            (way, aDay) -> way.dollars(none + " --new " + aDay) - way.dollars(none));
    return table("new posts a day", numbers, "%,d"::formatted, rows);
  }

  /** The dollars from 0.01 to 1,000 increments a second, without and with listeners. */
  static Chart chart() {
    List<Double> rates =
        IntStream.rangeClosed(0, 30).mapToObj(i -> StrictMath.pow(10, -2 + i / 6.0)).toList();
    return new Chart(
        rates,
        List.of(
            panel("Dollars for 30 days, no listeners", rates, ""),
            panel("Dollars for 30 days, 100 listeners", rates, LISTENERS)));
  }

  private static Panel panel(String title, List<Double> rates, String listeners) {
    List<Way> ways =
        List.of(
            cheapest("Tallyroll, a second old", 0),
            cheapest("Tallyroll, ten seconds", 1),
            cheapest("Tallyroll, a minute", 2),
            EXTENSION,
            ALONE);
    return new Panel(
        title,
        ways.stream()
            .map(
                way ->
                    new Curve(
                        way.name.replace("*", ""),
                        rates.stream()
                            .map(rate -> way.dollars("--rate " + rate + listeners))
                            .toList()))
            .toList());
  }

  private static Way cheapest(String name, int period) {
    return new Way(
        name,
        line ->
            Offer.tallyroll(
                bill(line).cheapest(load(line).ways(), Load.PERIODS.get(period)).orElseThrow()));
  }

  private static Stream<String> rows(List<Way> ways, List<String> loads) {
    return rows(ways, loads, Way::dollars);
  }

  private static <T> Stream<String> rows(
      List<Way> ways, List<T> columns, ToDoubleBiFunction<Way, T> dollars) {
    return ways.stream()
        .map(
            way -> {
              String bold = way.name.startsWith("**") ? "**" : "";
              return cells(
                  way.name,
                  columns,
                  column -> bold + rounded(dollars.applyAsDouble(way, column)) + bold);
            });
  }

  private static <T> String table(
      String corner, List<T> columns, Function<T, String> name, Stream<String> rows) {
    return Stream.concat(
            Stream.of(cells(corner, columns, name), "|---" + "|--:".repeat(columns.size()) + "|"),
            rows)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static <T> String cells(String name, List<T> columns, Function<T, String> cell) {
    return columns.stream().map(cell).collect(Collectors.joining(" | ", "| " + name + " | ", " |"));
  }

  /** Shows cents only below ten dollars. */
  static String rounded(double dollars) {
    return String.format(Locale.ROOT, dollars < 9.995 ? "%.2f" : "%,.0f", dollars);
  }

  private static String name(String line) {
    Load load = load(line);
    String each = Bill.number(load.rate());
    return load.counters() == 1
        ? each
        : String.format(Locale.ROOT, "%,d x %s", load.counters(), each);
  }
}
