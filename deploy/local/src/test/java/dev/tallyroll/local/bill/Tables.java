package dev.tallyroll.local.bill;

import dev.tallyroll.local.bill.Chart.Curve;
import dev.tallyroll.local.bill.Chart.Panel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Ten loads side by side, from one almost idle counter to ten thousand of them, in Markdown. */
record Tables(Prices prices, Load load) {
  static final int LISTENERS = 100;

  /** Marks dollars of polled counters, where the others are those of a trigger. */
  static final String POLLED = " p";

  /** A way to count: a row. */
  private record Way(String name, Function<Load, Offer> offer) {
    static Way tallyroll(String name, UnaryOperator<Load> change) {
      return new Way(name, load -> Offer.tallyroll(change.apply(load)));
    }
  }

  private static final Way OURS = Way.tallyroll("**Tallyroll**", UnaryOperator.identity());
  private static final Way CHEAPEST =
      Way.tallyroll(
          "Tallyroll, polled and buffered",
          load -> load.inPolledCounters().bufferedBy(Saving.SERVERS));
  private static final Way EACH_MINUTE =
      new Way("a function that calls `sum()` each minute", Offer::sumEachMinute);
  private static final Way EXTENSION = new Way("**Firebase extension**", Offer::extension);
  private static final Way ALONE = new Way("the increments alone", Offer::changesAlone);

  private static final List<Way> WAYS =
      List.of(
          OURS,
          Way.tallyroll("Tallyroll, by instance", load -> load.with("BILLING=instance")),
          Way.tallyroll("Tallyroll, `HOLD=PT10S`", load -> load.with("HOLD=PT10S")),
          Way.tallyroll("Tallyroll, polled", Load::inPolledCounters),
          Way.tallyroll("Tallyroll, buffered", load -> load.bufferedBy(Saving.SERVERS)),
          CHEAPEST,
          Way.tallyroll("Tallyroll, in the extension's place", Load::folded),
          Way.tallyroll(
              "Tallyroll, the same, each on a new shard",
              load -> load.folded().withShards(Shards.incremented(Integer.MAX_VALUE))),
          EACH_MINUTE,
          EXTENSION,
          ALONE);

  private static final List<Way> OF_DOCUMENTS =
      List.of(
          Way.tallyroll("**likes, members: `TOTAL_FIELD`**", Tables::liked),
          Way.tallyroll(
              "**ratings: `TOTAL_FIELD`, `NUMBER_FIELD` and `AVERAGE_FIELD`**",
              load ->
                  load.with(
                      "COUNT_FIELD=stars",
                      "TOTAL_FIELD=stars",
                      "NUMBER_FIELD=ratings",
                      "AVERAGE_FIELD=average")),
          Way.tallyroll("likes, in the roll-up only", load -> load.with("COUNT_FIELD=")),
          Way.tallyroll(
              "likes, `TICK=PT10S`, `BURST=2`", load -> Saving.SLOWER.to().apply(liked(load))),
          Way.tallyroll("likes, `HOLD=PT10S`", load -> liked(load).with("HOLD=PT10S")),
          Way.tallyroll("likes, `POLL=PT1M TICK=PT1M`", load -> liked(load).eachMinute()),
          Way.tallyroll(
              "likes, and shards that clients increment",
              load -> liked(load).countedBeside(Saving.USUAL_SHARDS)),
          new Way("a function that adds 1 at each create", Offer::addEach),
          new Way("a function that calls `count()` each minute", Offer::sumEachMinute),
          new Way("the changes alone", Offer::changesAlone));

  static Load liked(Load load) {
    return load.with("COUNT_FIELD=", "TOTAL_FIELD=likes");
  }

  /** One counter at seven rates, and several counters at three rates. */
  List<Load> tenLoads() {
    return List.of(
        load.at(0.01, 1),
        load.at(0.1, 1),
        load.at(1, 1),
        load.at(4, 1),
        load.at(10, 1),
        load.at(100, 1),
        load.at(1_000, 1),
        load.at(0.1, 100),
        load.at(1, 100),
        load.at(0.01, 10_000));
  }

  /**
   * Tables in Markdown, a column for each load: each line of the bill above zero, and the sums of
   * the ways to count; and these sums with listeners of each counter.
   */
  String text() {
    List<Load> without = tenLoads().stream().map(column -> column.listenedBy(0)).toList();
    List<Load> with = tenLoads().stream().map(column -> column.listenedBy(LISTENERS)).toList();
    List<String> head =
        List.of(
            cells("increments a second", without.stream().map(Tables::name)),
            "|---" + "|--:".repeat(without.size()) + "|");
    List<Offer> ours = without.stream().map(Offer::tallyroll).toList();
    Stream<String> lines =
        IntStream.range(0, ours.get(0).lines().size())
            .mapToObj(i -> ours.stream().map(offer -> offer.lines().get(i)).toList())
            .filter(all -> all.stream().anyMatch(line -> line.dollars(prices) > 0))
            .map(
                all ->
                    cells(
                        all.get(0).name(),
                        all.stream().map(line -> rounded(line.dollars(prices)))));
    return Stream.of(
            head.stream(),
            lines,
            WAYS.stream().map(way -> cells(way, without)),
            Stream.of(""),
            head.stream(),
            WAYS.stream().map(way -> cells(way, with)),
            Stream.of("", "Without listeners, by staleness:", ""),
            dialHead(without),
            Stream.of(dial(without)),
            Stream.of("With listeners:", ""),
            dialHead(with),
            Stream.of(dial(with).stripTrailing()))
        .flatMap(rows -> rows)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static Stream<String> dialHead(List<Load> loads) {
    return Stream.of(
        cells("a total is at most | increments a second", loads.stream().map(Tables::name)),
        "|---|---" + "|--:".repeat(loads.size()) + "|");
  }

  /** The ways to count documents, in Markdown: at 1 and 100 changes a second, over few and many. */
  String documents() {
    List<Load> loads =
        Stream.of(100, 10_000)
            .flatMap(
                number -> Stream.of(1, 100).map(rate -> load.at(rate, 1).overDocuments(number)))
            .toList();
    return Stream.concat(
            Stream.of(
                cells(
                    "changes of documents",
                    loads.stream()
                        .map(
                            each -> "%s/s over %,d".formatted(name(each), each.shards().number()))),
                "|---" + "|--:".repeat(loads.size()) + "|"),
            OF_DOCUMENTS.stream().map(way -> cells(way, loads)))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** The dollars from 0.01 to 1,000 increments a second, without and with listeners. */
  Chart chart() {
    List<Double> rates =
        IntStream.rangeClosed(0, 30).mapToObj(i -> StrictMath.pow(10, -2 + i / 6.0)).toList();
    return new Chart(
        rates,
        List.of(
            panel("Dollars for 30 days, no listeners", load.listenedBy(0), rates),
            panel(
                "Dollars for 30 days, " + LISTENERS + " listeners",
                load.listenedBy(LISTENERS),
                rates)));
  }

  private Panel panel(String title, Load load, List<Double> rates) {
    List<Way> ways =
        List.of(
            cheapest("Tallyroll, a second old", 1),
            cheapest("Tallyroll, ten seconds", 10),
            cheapest("Tallyroll, a minute", 60),
            EXTENSION,
            ALONE);
    return new Panel(title, ways.stream().map(way -> curve(way, load, rates)).toList());
  }

  private Way cheapest(String name, int seconds) {
    return new Way(name, load -> Offer.tallyroll(new Dial(prices, seconds).best(load).load()));
  }

  private Curve curve(Way way, Load load, List<Double> rates) {
    return new Curve(
        way.name.replaceAll("[*`]", ""),
        rates.stream()
            .map(rate -> way.offer.apply(load.at(rate, load.counters())).dollars(prices))
            .toList());
  }

  /**
   * For each staleness, what the cheapest settings cost, beside what else is as fresh: the loads in
   * columns, a row for each way.
   */
  String dial(List<Load> loads) {
    List<String> rows = new ArrayList<>();
    for (int seconds : Dial.STEPS) {
      Dial dial = new Dial(prices, seconds);
      String age = seconds < 60 ? seconds + " s" : "a minute";
      rows.add(
          cells(
              "**" + age + "** | **Tallyroll**", loads.stream().map(dial::best).map(Tables::cell)));
      List<List<Offer>> others = loads.stream().map(dial::others).toList();
      for (int way = 0; way < others.get(0).size(); way++) {
        int other = way;
        if (loads.stream().noneMatch(column -> dial.isAlternative(other, column))) {
          continue;
        }
        rows.add(
            cells(
                "| " + others.get(0).get(other).name(),
                IntStream.range(0, loads.size())
                    .mapToObj(
                        i ->
                            dial.isAlternative(other, loads.get(i))
                                ? rounded(others.get(i).get(other).dollars(prices))
                                : "")));
      }
    }
    return String.join("\n", rows) + "\n";
  }

  private static String cell(Dial.Best best) {
    return "**" + rounded(best.dollars()) + "**" + (best.load().polls() ? POLLED : "");
  }

  private String cells(Way way, List<Load> loads) {
    String bold = way.name.startsWith("**") ? "**" : "";
    return cells(
        way.name,
        loads.stream()
            .map(way.offer)
            .map(
                offer ->
                    offer.remark().endsWith(" fails")
                        ? "fails"
                        : bold + rounded(offer.dollars(prices)) + bold));
  }

  private static String cells(String name, Stream<String> cells) {
    return cells.collect(Collectors.joining(" | ", "| " + name + " | ", " |"));
  }

  /** Shows cents only below ten dollars. */
  static String rounded(double dollars) {
    return String.format(Locale.ROOT, dollars < 9.995 ? "%.2f" : "%,.0f", dollars);
  }

  static String name(Load load) {
    String each = Bill.number(load.rate());
    return load.counters() == 1
        ? each
        : String.format(Locale.ROOT, "%,d x %s", load.counters(), each);
  }
}
