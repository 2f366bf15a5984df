package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.bill.Offer.Line;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The program behind {@code deploy/local/bill}. Filled in by picocli; used by one thread. */
@Command(
    name = "deploy/local/bill",
    description = {
      "Prints what counters cost in 30 days, line by line, beside other ways to count. It plays"
          + " the functions' own code in virtual time, with increments that arrive at random; it"
          + " starts and calls nothing. Takes some seconds, and about four minutes for 2,000"
          + " counters with one increment a second.",
      ""
    },
    footer = {
      "",
      "TICK, LEASE, SLACK, BURST, HOLD, PRECISION, RUN, WORKERS, SWEEP_COUNTERS, TOTAL_FIELD,"
          + " BILLING, REQUEST_LOGS and ROLLUP_CPU are taken from the environment; see"
          + " deploy/gcloud/settings.env. The prices are those of deploy/prices.json.",
      "",
      "Examples:",
      "  deploy/local/bill --rate 1 --counters 100 --listeners 20 --views 5",
      "  deploy/local/bill --rate 20 --chart costs.svg",
      "  HOLD=PT10S deploy/local/bill --rate 20 --listeners 100"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the bill was printed",
      "1:a trial differs from the model by more than a tenth",
      "2:bad options",
      "3:could not start"
    })
final class Bill implements Callable<Integer> {
  private static final List<Integer> BURSTS = List.of(2, 5, 10, 15, 25, 50);

  /** The limit of increments a second: more take too long to play. */
  private static final double MOST_INCREMENTS = 2_000;

  private static final int MOST_COUNTERS = 10_000;

  /** The servers of the advice. */
  static final int SERVERS = 5;

  /** A change that saves less is not worth a line. */
  private static final double WORTH_IT = 0.99;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "increments a second of each counter (default ${DEFAULT-VALUE})")
  double rate = 1;

  @Option(
      names = "--counters",
      paramLabel = "N",
      description =
          "how many counters, up to 10,000 (default ${DEFAULT-VALUE}); twice as many cost at most"
              + " twice as much")
  int counters = 1;

  @Option(
      names = "--shards",
      paramLabel = "N",
      description = "shards of each counter (default ${DEFAULT-VALUE})")
  int shards = 10;

  @Option(
      names = "--listeners",
      paramLabel = "N",
      description = "listeners of each counter, all the time (default ${DEFAULT-VALUE})")
  int listeners;

  @Option(
      names = "--views",
      paramLabel = "V",
      description = "reads of each total a second (default ${DEFAULT-VALUE})")
  double views;

  @Option(names = "--polled", description = "the counters are polled ones, which make no events")
  boolean polled;

  @Option(
      names = "--buffered",
      paramLabel = "SERVERS",
      description =
          "how many servers count all increments, and commit once a second what they add up"
              + " (default 0: each increment is a write of its own)")
  int servers;

  @Option(names = "--free", description = "subtract the free tier")
  boolean free;

  @Option(
      names = "--profiles",
      description =
          "print tables in Markdown over ten rates, without and with 100 listeners, with these"
              + " settings, and with each way to make it cheaper")
  boolean profiles;

  @Option(
      names = "--trial",
      paramLabel = "MINUTES",
      description =
          "count on the emulators for so many minutes, after one of warm-up, and print the counts"
              + " beside the model's; needs an idle machine")
  int trial;

  @Option(
      names = "--chart",
      paramLabel = "FILE.svg",
      description = "draw the dollars over rates from 0.01 to 1,000, for all ways")
  @Nullable Path chart;

  @Spec @Nullable CommandSpec spec;

  private final Prices prices = Prices.read();
  private final Map<String, String> environment;

  Bill() {
    this(System.getenv());
  }

  Bill(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Bill(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    check(rate >= 0.0001 && rate <= MOST_INCREMENTS, "--rate", "0.0001 to 2000", rate);
    check("--counters", counters, 1, MOST_COUNTERS);
    check(rate * counters <= MOST_INCREMENTS, "--rate", "2000 for all counters at most", rate);
    check("--trial", trial, 0, 600);
    check("--shards", shards, 1, 100_000);
    check("--listeners", listeners, 0, 100_000_000);
    check(views >= 0 && views <= 1e9, "--views", "0 to 1000000000", views);
    check("--buffered", servers, 0, 1_000);
    Deployed deployed = deployed();
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    if (chart != null) {
      draw(chart, () -> drawing(deployed));
    }
    if (trial > 0) {
      return trial(deployed).isNear(out) ? Invocation.RIGHT : Invocation.WRONG;
    }
    if (profiles) {
      out.print(new Profiles(prices, deployed, shards).tables());
      out.flush();
    } else {
      print(out, deployed);
    }
    return Invocation.RIGHT;
  }

  Trial trial(Deployed deployed) {
    return new Trial(demand(rate), deployed.settings(), trial);
  }

  private Demand demand(double each) {
    return new Demand(each, counters, shards, listeners, views, polled, servers);
  }

  private static void draw(Path file, Supplier<String> drawing) {
    try {
      // The drawing takes a while; a file that refuses it says so at once.
      Files.newOutputStream(file, CREATE, APPEND).close();
      Files.writeString(file, drawing.get());
    } catch (IOException refused) {
      throw new TypeConversionException(
          "--chart: expected a file that can be written; found " + refused);
    }
  }

  /** The deployment by the environment. With --trial, the slack is what the emulators need. */
  Deployed deployed() {
    Map<String, String> variables = new HashMap<>(environment);
    if (trial > 0) {
      variables.putIfAbsent("SLACK", "PT2S");
    }
    try {
      return Deployed.by(variables);
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(refused.getMessage());
    }
  }

  /** All ways to count; the functions are the first. */
  List<Offer> offers() {
    Deployed deployed = deployed();
    return offers(demand(rate), deployed, demand(rate).play(deployed.settings()));
  }

  private static List<Offer> offers(Demand demand, Deployed deployed, Usage usage) {
    List<Offer> offers = new ArrayList<>();
    offers.add(demand.tallyroll(deployed, usage));
    offers.addAll(demand.others(deployed.settings().timing().tick().toMillis() / 1e3));
    return offers;
  }

  double sum(Offer offer) {
    return offer.dollars(prices) - (free ? offer.free(prices) : 0);
  }

  private void print(PrintWriter out, Deployed deployed) {
    Demand demand = demand(rate);
    Usage usage = demand.play(deployed.settings());
    List<Offer> offers = offers(demand, deployed, usage);
    Offer ours = offers.get(0);
    out.printf(
        Locale.ROOT,
        "Dollars for 30 days. Counters: %d. Of each, shards: %d; increments a second: %s;"
            + " listeners: %d; views a second: %s.%n%n",
        counters,
        shards,
        number(rate),
        listeners,
        number(views));
    for (Line line : ours.lines()) {
      row(
          out,
          line.name(),
          String.format(Locale.ROOT, "%,.0f", line.quantity()),
          line.dollars(prices));
    }
    if (free) {
      row(out, "free in a project", "", -ours.free(prices));
    }
    row(out, ours.name().toUpperCase(Locale.ROOT), "", sum(ours));
    out.printf(
        Locale.ROOT,
        "%nA total was behind its shards for %.2f seconds at the most.%n",
        usage.lag());
    advise(out, demand, deployed, usage);
    out.println("\nThe same otherwise:");
    for (Offer other : offers.subList(1, offers.size())) {
      row(out, other.name(), "", sum(other));
      if (!other.remark().isEmpty()) {
        out.println("    " + other.remark());
      }
    }
    Assumed assumed = Assumed.OF_THE_PLATFORM;
    out.printf(
        Locale.ROOT,
        "%nAssumed: an event arrives after %d ms; a call of Firestore takes %d to %d ms; an event"
            + " has %,d bytes,%na message %,d; a request's log entry %,d bytes, a line of the"
            + " functions %d; instances are%nbilled in slots of %d ms; one of OnShardWritten takes"
            + " %,d events a second.%n",
        assumed.delay().toMillis(),
        2 * assumed.leg().toMillis() + 1,
        2 * assumed.leg().toMillis() + 11,
        Demand.EVENT_BYTES,
        Demand.MESSAGE_BYTES,
        Demand.REQUEST_ENTRY_BYTES,
        Demand.LINE_BYTES,
        assumed.slot().toMillis(),
        assumed.eventsPerInstance());
    out.printf("Prices of %s. %s%n", prices.date(), prices.about());
    out.println("Settings: " + deployed.settings());
  }

  /** Names what would make this load cheaper by a hundredth or more, each by itself. */
  private void advise(PrintWriter out, Demand demand, Deployed now, Usage usage) {
    double dollars = sum(demand.tallyroll(now, usage));
    Map<String, Double> changes = new HashMap<>();
    for (String change : List.of("BILLING=instance", "REQUEST_LOGS=errors")) {
      changes.put(change, sum(demand.tallyroll(now.with(change), usage)));
    }
    BURSTS.stream()
        .map(each -> "BURST=" + each)
        .map(change -> Map.entry(change, sum(demand.tallyroll(now.with(change)))))
        .min(Map.Entry.comparingByValue())
        .ifPresent(cheapest -> changes.put(cheapest.getKey(), cheapest.getValue()));
    changes.put(
        "HOLD=PT10S: totals within 1 %, and 10 s old at most",
        sum(demand.tallyroll(now.with("HOLD=PT10S"))));
    Demand inPolled = demand.inPolledCounters();
    changes.put(
        "polled counters: after a pause, up to a minute behind", sum(inPolled.tallyroll(now)));
    if (servers == 0) {
      changes.put(
          "buffered increments, from five servers", sum(demand.bufferedBy(SERVERS).tallyroll(now)));
      changes.put("both: polled, and buffered", sum(inPolled.bufferedBy(SERVERS).tallyroll(now)));
    }
    out.println("\nCheaper for this load, each by itself:");
    changes.entrySet().stream()
        .filter(change -> change.getValue() < WORTH_IT * dollars)
        .sorted(Map.Entry.comparingByValue())
        .forEach(
            change ->
                row(
                    out,
                    change.getKey(),
                    "saves " + money(dollars - change.getValue()),
                    change.getValue()));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : Double.toString(value);
  }

  private static void row(PrintWriter out, String name, String quantity, double dollars) {
    out.printf(Locale.ROOT, "  %-58s %16s %13s%n", name, quantity, money(dollars));
  }

  private static String money(double dollars) {
    return String.format(Locale.ROOT, "%,.2f", dollars);
  }

  /** Draws the costs at other rates, with the same listeners and views. */
  private String drawing(Deployed deployed) {
    List<Double> rates =
        IntStream.rangeClosed(0, 15)
            .mapToObj(i -> StrictMath.pow(10, -2 + i / 3.0))
            .filter(each -> each * counters <= MOST_INCREMENTS)
            .toList();
    List<List<Offer>> offers =
        rates.parallelStream()
            .map(this::demand)
            .map(each -> offers(each, deployed, each.play(deployed.settings())))
            .toList();
    Chart drawn = new Chart(rates);
    for (int way = 0; way < offers.get(0).size(); way++) {
      int index = way;
      drawn.add(
          offers.get(0).get(way).name(),
          offers.stream().map(each -> sum(each.get(index))).toList());
    }
    return drawn.svg();
  }
}
