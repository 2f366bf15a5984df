package dev.tallyroll.local.bill;

import dev.tallyroll.local.bill.Offer.Line;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.simulation.Pace.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Ten loads side by side, from one almost idle counter to ten thousand of them. */
record Profiles(Prices prices, Deployed deployed, int shards) {
  private static final int LISTENERS = 100;

  /** A rate of each counter, and how many there are. */
  private record Profile(double rate, int counters) {}

  /** One counter at seven rates, and several counters at three rates. */
  private static final List<Profile> LOADS =
      List.of(
          new Profile(0.01, 1),
          new Profile(0.1, 1),
          new Profile(1, 1),
          new Profile(4, 1),
          new Profile(10, 1),
          new Profile(100, 1),
          new Profile(1_000, 1),
          new Profile(0.1, 100),
          new Profile(1, 100),
          new Profile(0.01, 10_000));

  private List<Demand> demands() {
    return LOADS.stream()
        .map(load -> new Demand(load.rate, load.counters, shards, 0, 0, false, 0))
        .toList();
  }

  /** A way to count each load, as it was played. */
  private final class Way {
    final String name;
    private final Deployed by;
    private final List<Demand> loads;
    private final List<Usage> usages;

    Way(String name, Deployed by, UnaryOperator<Demand> change) {
      this(name, by, change, it -> it.play(by.settings()));
    }

    Way(String name, Deployed by, UnaryOperator<Demand> change, Function<Demand, Usage> play) {
      this.name = name;
      this.by = by;
      this.loads = demands().stream().map(change).toList();
      this.usages = loads.parallelStream().map(play).toList();
    }

    /** The same use of the functions, billed by instance. */
    Way(Way played) {
      this.name = "by instance";
      this.by = played.by.with("BILLING=instance");
      this.loads = played.loads;
      this.usages = played.usages;
    }

    static Way folded(Profiles profiles, String name, boolean anew) {
      RunSettings settings = profiles.deployed.settings();
      return profiles.new Way(name, profiles.deployed, it -> it, it -> it.fold(settings, anew));
    }

    List<Offer> offers(int listeners) {
      return IntStream.range(0, loads.size())
          .mapToObj(i -> loads.get(i).listenedBy(listeners).tallyroll(by, usages.get(i)))
          .toList();
    }
  }

  /**
   * Tables in Markdown, a column for each load: each line of the bill above zero, and the sums of
   * the ways to count; and these sums with 100 listeners of each counter.
   */
  String tables() {
    Way usual = new Way("**Tallyroll**", deployed, it -> it);
    List<Way> ways =
        List.of(
            usual,
            new Way(usual),
            new Way("`HOLD=PT10S`", deployed.with("HOLD=PT10S"), it -> it),
            new Way("polled", deployed, Demand::inPolledCounters),
            new Way("buffered", deployed, Profiles::buffered),
            new Way("polled and buffered", deployed, it -> buffered(it).inPolledCounters()),
            Way.folded(this, "in the extension's place", /* anew= */ false),
            Way.folded(this, "the same, each on a new shard", /* anew= */ true));
    List<String> rows = new ArrayList<>(head());
    List<Offer> ours = usual.offers(0);
    for (int i = 0; i < ours.get(0).lines().size(); i++) {
      int index = i;
      List<Line> lines = ours.stream().map(offer -> offer.lines().get(index)).toList();
      if (lines.stream().anyMatch(line -> line.dollars(prices) > 0)) {
        rows.add(row(lines.get(0).name(), lines.stream().map(line -> line.dollars(prices))));
      }
    }
    rows.addAll(sums(ways, 0));
    rows.add("");
    rows.addAll(head());
    rows.addAll(sums(ways, LISTENERS));
    return String.join("\n", rows) + "\n";
  }

  private static Demand buffered(Demand demand) {
    return demand.bufferedBy(Bill.SERVERS);
  }

  private List<String> head() {
    List<Demand> all = demands();
    return List.of(
        row("increments a second", all.stream().map(Profiles::name).toList()),
        "|---" + "|--:".repeat(all.size()) + "|");
  }

  private List<String> sums(List<Way> ways, int listeners) {
    List<Demand> all = demands().stream().map(it -> it.listenedBy(listeners)).toList();
    List<String> rows = new ArrayList<>();
    for (Way way : ways) {
      List<Offer> offers = way.offers(listeners);
      rows.add(
          way.name.startsWith("*")
              ? bold(way.name, offers)
              : row("Tallyroll, " + way.name, dollars(offers)));
    }
    rows.add(
        row(
            "a function that calls `sum()` each minute",
            dollars(all.stream().map(Demand::sumEachMinute).toList())));
    rows.add(bold("**Firebase extension**", all.stream().map(Demand::extension).toList()));
    rows.add(
        row("the increments alone", dollars(demands().stream().map(Demand::oneDocument).toList())));
    return rows;
  }

  private Stream<Double> dollars(List<Offer> offers) {
    return offers.stream().map(offer -> offer.dollars(prices));
  }

  private String bold(String name, List<Offer> offers) {
    return row(
        name, offers.stream().map(offer -> "**" + rounded(offer.dollars(prices)) + "**").toList());
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
