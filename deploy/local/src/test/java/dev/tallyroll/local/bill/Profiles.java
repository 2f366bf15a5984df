package dev.tallyroll.local.bill;

import dev.tallyroll.local.bill.Demand.Deployed;
import dev.tallyroll.local.bill.Offer.Line;
import dev.tallyroll.simulation.Pace.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Ten loads side by side, from one almost idle counter to ten thousand of them. */
record Profiles(Prices prices, Deployed deployed) {
  private static final int SHARDS = 10;

  /** One counter at seven rates, and several counters at three rates. */
  static final List<Demand> ALL =
      List.of(
          demand(0.01, 1),
          demand(0.1, 1),
          demand(1, 1),
          demand(4, 1),
          demand(10, 1),
          demand(100, 1),
          demand(1_000, 1),
          demand(0.1, 100),
          demand(1, 100),
          demand(0.01, 10_000));

  private static Demand demand(double rate, int counters) {
    return new Demand(rate, counters, SHARDS, /* listeners= */ 0, /* views= */ 0);
  }

  /** A table in Markdown: a column for each load, a row for each line of the bill above zero. */
  String table() {
    List<Usage> usages = ALL.stream().map(demand -> demand.play(deployed.settings())).toList();
    List<Offer> ours = offers(usages, deployed);
    List<String> rows = new ArrayList<>();
    rows.add(row("increments a second", ALL.stream().map(Profiles::name).toList()));
    rows.add("|---" + "|--:".repeat(ALL.size()) + "|");
    for (int i = 0; i < ours.get(0).lines().size(); i++) {
      int index = i;
      List<Line> lines = ours.stream().map(offer -> offer.lines().get(index)).toList();
      if (lines.stream().anyMatch(line -> line.dollars(prices) > 0)) {
        rows.add(row(lines.get(0).name(), lines.stream().map(line -> line.dollars(prices))));
      }
    }
    rows.add(bold("Tallyroll", ours));
    Deployed byInstance =
        new Deployed(
            deployed.settings(),
            deployed.rollerCpu(),
            /* byInstance= */ true,
            deployed.requestLogs());
    rows.add(
        row(
            "Tallyroll, by instance",
            offers(usages, byInstance).stream().map(offer -> offer.dollars(prices))));
    rows.add(bold("Firebase extension", ALL.stream().map(Demand::extension).toList()));
    rows.add(
        row(
            "the increments alone",
            ALL.stream().map(demand -> demand.oneDocument().dollars(prices))));
    return String.join("\n", rows) + "\n";
  }

  private static List<Offer> offers(List<Usage> usages, Deployed deployed) {
    return IntStream.range(0, ALL.size())
        .mapToObj(i -> ALL.get(i).tallyroll(deployed, usages.get(i)))
        .toList();
  }

  private String bold(String name, List<Offer> offers) {
    return row(
        "**" + name + "**",
        offers.stream().map(offer -> "**" + rounded(offer.dollars(prices)) + "**").toList());
  }

  private static String row(String name, Stream<Double> dollars) {
    return row(name, dollars.map(Profiles::rounded).toList());
  }

  private static String row(String name, List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| " + name + " | ", " |"));
  }

  /** Shows cents only below ten dollars. */
  private static String rounded(double dollars) {
    return String.format(Locale.ROOT, dollars < 9.995 ? "%.2f" : "%,.0f", dollars);
  }

  static String name(Demand demand) {
    String rate =
        demand.rate() < 1
            ? Double.toString(demand.rate())
            : String.format(Locale.ROOT, "%,.0f", demand.rate());
    return demand.counters() == 1
        ? rate
        : String.format(Locale.ROOT, "%,d x %s", demand.counters(), rate);
  }
}
