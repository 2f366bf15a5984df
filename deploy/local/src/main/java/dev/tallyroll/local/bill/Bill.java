package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import com.google.gson.GsonBuilder;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.bill.Demand.Deployed;
import dev.tallyroll.local.bill.Offer.Line;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
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
      "Examples:",
      "  deploy/local/bill --rate 1 --counters 100 --listeners 20 --views 5",
      "  deploy/local/bill --rate 20 --chart costs.svg"
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

  @Option(names = "--tick", paramLabel = "T", description = "settings of the functions")
  @Nullable String tick;

  @Option(names = "--lease", paramLabel = "T")
  @Nullable String lease;

  @Option(names = "--slack", paramLabel = "T")
  @Nullable String slack;

  @Option(names = "--burst", paramLabel = "N")
  @Nullable String burst;

  @Option(names = "--hold", paramLabel = "T")
  @Nullable String hold;

  @Option(names = "--precision", paramLabel = "P")
  @Nullable String precision;

  @Option(names = "--run", paramLabel = "T")
  @Nullable String run;

  @Option(names = "--workers", paramLabel = "N")
  @Nullable String workers;

  @Option(names = "--sweep-counters", paramLabel = "N")
  @Nullable String sweepCounters;

  @Option(names = "--polled", description = "the counters are polled ones, which make no events")
  boolean polled;

  @Option(
      names = "--buffered",
      paramLabel = "SERVERS",
      description =
          "how many servers count all increments, and commit once a second what they add up"
              + " (default 0: each increment is a write of its own)")
  int servers;

  @Option(
      names = "--total-field",
      description = "TOTAL_FIELD: totals are written into the counters' own documents, too")
  boolean totalField;

  @Option(
      names = "--roller-cpu",
      paramLabel = "C",
      description = "RollUp's share of a vCPU (default ${DEFAULT-VALUE})")
  double rollerCpu = 0.333;

  @Option(
      names = "--by-instance",
      description =
          "BILLING=instance: OnShardWritten's instances are billed for their whole lives, and"
              + " requests are free; only for counters that are always busy")
  boolean byInstance;

  @Option(
      names = "--exclude-request-logs",
      description = "REQUEST_LOGS=errors: no log entries of successful requests")
  boolean excludeRequestLogs;

  @Option(names = "--free", description = "subtract the free tier")
  boolean free;

  @Option(
      names = "--prices",
      paramLabel = "FILE",
      description = "a file of prices, in place of deploy/prices.json")
  @Nullable Path file;

  @Option(names = "--json", description = "print one object, for programs")
  boolean json;

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

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Bill(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    Prices prices = prices();
    RunSettings settings = settings(variables());
    check(rate >= 0.0001 && rate <= MOST_INCREMENTS, "--rate", "0.0001 to 2000", rate);
    check("--counters", counters, 1, MOST_COUNTERS);
    check(rate * counters <= MOST_INCREMENTS, "--rate", "2000 for all counters at most", rate);
    check("--trial", trial, 0, 600);
    check("--shards", shards, 1, 100_000);
    check("--listeners", listeners, 0, 100_000_000);
    check(views >= 0 && views <= 1e9, "--views", "0 to 1000000000", views);
    check(rollerCpu > 0 && rollerCpu <= 8, "--roller-cpu", "a share of a vCPU, to 8", rollerCpu);
    check("--buffered", servers, 0, 1_000);
    Demand demand = new Demand(rate, counters, shards, listeners, views, polled, servers);
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    if (chart != null) {
      draw(chart, drawing(demand, settings, prices));
    }
    if (trial > 0) {
      return new Trial(demand, settings, variables(), trial).isNear(out)
          ? Invocation.RIGHT
          : Invocation.WRONG;
    }
    if (profiles) {
      out.print(new Profiles(prices, deployed(settings), shards).tables());
      out.flush();
      return Invocation.RIGHT;
    }
    Usage usage = demand.play(settings);
    List<Offer> offers = offers(demand, settings, usage);
    if (json) {
      out.println(object(demand, offers, prices));
    } else {
      print(out, demand, settings, offers, usage, prices);
    }
    return Invocation.RIGHT;
  }

  private Prices prices() {
    Path home = Path.of(System.getProperty("tallyroll.home", "."));
    Path path = file == null ? home.resolve("deploy/prices.json") : file;
    try {
      return Prices.read(path);
    } catch (IllegalArgumentException unusable) {
      throw new TypeConversionException(
          "--prices: expected a file as deploy/prices.json; in "
              + path
              + " "
              + unusable.getMessage());
    }
  }

  private static void draw(Path file, String drawing) {
    try {
      Files.writeString(file, drawing);
    } catch (IOException refused) {
      throw new TypeConversionException(
          "--chart: expected a file that can be written; found " + refused);
    }
  }

  /** Reads the settings by the functions' own rules. */
  private static RunSettings settings(Map<String, String> variables) {
    try {
      return Settings.from(variables::get).runs();
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(refused.getMessage());
    }
  }

  /** The settings of the options. With --trial, the slack is longer, as the emulators need. */
  private Map<String, String> variables() {
    Map<String, @Nullable String> given = new HashMap<>();
    given.put("TICK", tick);
    given.put("LEASE", lease);
    given.put("SLACK", slack == null && trial > 0 ? "PT2S" : slack);
    given.put("BURST", burst);
    given.put("HOLD", hold);
    given.put("PRECISION", precision);
    given.put("RUN", run);
    given.put("WORKERS", workers);
    given.put("SWEEP_COUNTERS", sweepCounters);
    given.values().removeIf(Objects::isNull);
    return given;
  }

  private Deployed deployed(RunSettings settings) {
    return new Deployed(settings, rollerCpu, byInstance, !excludeRequestLogs, totalField);
  }

  private List<Offer> offers(Demand demand, RunSettings settings, Usage usage) {
    List<Offer> offers = new ArrayList<>();
    offers.add(demand.tallyroll(deployed(settings), usage));
    offers.addAll(demand.others(settings.timing().tick().toMillis() / 1e3));
    return offers;
  }

  private double sum(Offer offer, Prices prices) {
    return offer.dollars(prices) - (free ? offer.free(prices) : 0);
  }

  private void print(
      PrintWriter out,
      Demand demand,
      RunSettings settings,
      List<Offer> offers,
      Usage usage,
      Prices prices) {
    Offer ours = offers.get(0);
    out.printf(
        Locale.ROOT,
        "Dollars for 30 days. Counters: %d. Of each, shards: %d; increments a second: %s;"
            + " listeners: %d; views a second: %s.%n%n",
        demand.counters(),
        demand.shards(),
        number(demand.rate()),
        demand.listeners(),
        number(demand.views()));
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
    row(out, ours.name().toUpperCase(Locale.ROOT), "", sum(ours, prices));
    out.printf(
        Locale.ROOT,
        "%nA total was behind its shards for %.2f seconds at the most.%n",
        usage.lag());
    advise(out, demand, settings, usage, prices);
    out.println("\nThe same otherwise:");
    for (Offer other : offers.subList(1, offers.size())) {
      row(out, other.name(), "", sum(other, prices));
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
    out.println("Settings: " + settings);
  }

  /** Names what would make this load cheaper by a hundredth or more, each by itself. */
  private void advise(
      PrintWriter out, Demand demand, RunSettings settings, Usage usage, Prices prices) {
    Deployed now = deployed(settings);
    double dollars = sum(demand.tallyroll(now, usage), prices);
    Map<String, Double> changes = new LinkedHashMap<>();
    changes.put("BILLING=instance", sum(demand.tallyroll(now.billedByInstance(), usage), prices));
    changes.put(
        "REQUEST_LOGS=errors", sum(demand.tallyroll(now.withoutRequestLogs(), usage), prices));
    for (int each : BURSTS) {
      boolean isSet = each == settings.timing().burst();
      changes.put("BURST=" + each, isSet ? dollars : withBurst(demand, each, prices));
    }
    if (!settings.timing().holds()) {
      changes.put(
          "HOLD=PT10S: totals within 1 %, and 10 s old at most",
          sum(demand.tallyroll(now.holding()), prices));
    }
    if (!demand.polled()) {
      changes.put(
          "polled counters: after a pause, up to a minute behind",
          sum(demand.inPolledCounters().tallyroll(now), prices));
    }
    if (demand.servers() == 0) {
      changes.put(
          "buffered increments, from five servers",
          sum(demand.bufferedBy(SERVERS).tallyroll(now), prices));
      changes.put(
          "both: polled, and buffered",
          sum(demand.inPolledCounters().bufferedBy(SERVERS).tallyroll(now), prices));
    }
    String cheapest =
        BURSTS.stream()
            .map(each -> "BURST=" + each)
            .min(Comparator.comparing(changes::get))
            .orElseThrow();
    out.println("\nCheaper for this load, each by itself:");
    changes.entrySet().stream()
        .filter(change -> !change.getKey().startsWith("BURST=") || change.getKey().equals(cheapest))
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

  private double withBurst(Demand demand, int each, Prices prices) {
    Map<String, String> variables = variables();
    variables.put("BURST", Integer.toString(each));
    return sum(demand.tallyroll(deployed(settings(variables))), prices);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : Double.toString(value);
  }

  private static void row(PrintWriter out, String name, String quantity, double dollars) {
    out.printf(Locale.ROOT, "  %-58s %16s %13s%n", name, quantity, money(dollars));
  }

  static String money(double dollars) {
    return String.format(Locale.ROOT, "%,.2f", dollars);
  }

  /** The output of {@code --json}. */
  private record Printed(double rate, int counters, List<Way> ways) {
    record Way(String name, double dollars, List<Item> lines) {}

    record Item(String name, double quantity, double dollars) {}
  }

  private String object(Demand demand, List<Offer> offers, Prices prices) {
    List<Printed.Way> ways =
        offers.stream()
            .map(
                offer ->
                    new Printed.Way(
                        offer.name(),
                        sum(offer, prices),
                        offer.lines().stream()
                            .map(
                                line ->
                                    new Printed.Item(
                                        line.name(), line.quantity(), line.dollars(prices)))
                            .toList()))
            .toList();
    return new GsonBuilder()
        .setPrettyPrinting()
        .create()
        .toJson(new Printed(demand.rate(), demand.counters(), ways));
  }

  /** Draws the costs at other rates, with the same listeners and views. */
  private String drawing(Demand demand, RunSettings settings, Prices prices) {
    List<Double> rates =
        IntStream.rangeClosed(0, 15)
            .mapToObj(i -> StrictMath.pow(10, -2 + i / 3.0))
            .filter(each -> each * demand.counters() <= MOST_INCREMENTS)
            .toList();
    List<List<Offer>> offers =
        rates.stream()
            .map(each -> new Demand(each, counters, shards, listeners, views, polled, servers))
            .map(each -> offers(each, settings, each.play(settings)))
            .toList();
    Chart drawn = new Chart(rates);
    for (int way = 0; way < offers.get(0).size(); way++) {
      int index = way;
      drawn.add(
          offers.get(0).get(way).name(),
          offers.stream().map(each -> sum(each.get(index), prices)).toList());
    }
    return drawn.svg();
  }
}
