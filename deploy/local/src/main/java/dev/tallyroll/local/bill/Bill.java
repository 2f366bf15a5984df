package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.SettingsFile;
import dev.tallyroll.local.bill.Offer.Line;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program behind {@code deploy/local/bill}. Filled in by picocli; used by one thread. */
@Command(
    name = "deploy/local/bill",
    description = {
      "Prints what counters cost in 30 days, line by line, beside other ways to count. It is a"
          + " formula for increments that arrive at random, which deploy/local/README.md says in"
          + " words; it starts and calls nothing.",
      ""
    },
    footer = {
      "",
      "These settings change the price, and are taken from the environment, then from the file of"
          + " --settings: "
          + Bill.PRICED
          + ". See deploy/gcloud/settings.env. The prices are those of deploy/prices.json.",
      "",
      "Examples:",
      "  deploy/local/bill --rate 1 --counters 100 --listeners 20 --views 5",
      "  deploy/local/bill --rate 20 --staleness 10s",
      "  deploy/local/bill --rate 20 --settings my.env",
      "  HOLD=PT10S deploy/local/bill --rate 20 --listeners 100",
      "  COUNTERS= POLLED=counters TICK=PT1M deploy/local/bill --rate 1",
      "  COUNT_FIELD= TOTAL_FIELD=likes deploy/local/bill --documents 10000"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:the bill was printed", "2:bad options or settings"})
final class Bill implements Callable<Integer> {
  static final String PRICED =
      "COUNTERS, POLLED, POLL, SUM, TICK, LEASE, SLACK, BURST, HOLD, PRECISION, WORKERS,"
          + " SWEEP_COUNTERS, COUNT_FIELD, TOTAL_FIELD, NUMBER_FIELD, AVERAGE_FIELD, FOLD,"
          + " FOLD_DOCUMENTS, RULES, BILLING, REQUEST_LOGS, HANDLER_CPU, ROLLUP_CPU, ROLLUP_MEMORY";

  /** Settings that may change the price a little, which the formula leaves out. */
  private static final List<String> NOT_PRICED =
      List.of("RUN", "IDLE_EXIT", "SWEEP", "MAX_INSTANCES");

  /** Documents below each counter, if the settings count them: a sum of so many is one read. */
  private static final int USUAL_DOCUMENTS = 1_000;

  /** The limit of increments a second of all counters, far above what was ever tried. */
  private static final double MOST_INCREMENTS = 100_000;

  private static final int MOST_COUNTERS = 10_000;

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
      description = "how many counters, up to 10,000 (default ${DEFAULT-VALUE})")
  int counters = 1;

  @Option(
      names = "--shards",
      paramLabel = "N",
      description = "shards of each counter (default ${DEFAULT-VALUE})")
  int shards = Saving.USUAL_SHARDS;

  @Option(
      names = "--documents",
      paramLabel = "N",
      description =
          "documents of the app's own below each counter, which are its shards; an increment is then"
              + " a create, an update or a delete of one (default 1000 if the settings count"
              + " documents, else 0: shards that clients increment)")
  @Nullable Integer documents;

  @Option(
      names = "--deletes",
      paramLabel = "P",
      description =
          "with --documents: of a hundred changes, so many are deletes (default ${DEFAULT-VALUE})")
  int deletes;

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

  @Option(
      names = "--polled",
      description = "the counters are polled ones, which make no events; COUNTERS= says so, too")
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
      names = "--settings",
      paramLabel = "FILE",
      description = "settings in the form of deploy/gcloud/settings.env, as deploy takes them")
  @Nullable Path file;

  @Option(
      names = "--staleness",
      paramLabel = "1s|10s|60s",
      description =
          "print the cheapest settings with which a total is at most so old, as lines of the"
              + " settings file")
  @Nullable String staleness;

  @Spec @Nullable CommandSpec spec;

  private final Prices prices = Prices.read();
  private final Map<String, String> environment;
  private final Path home;

  Bill() {
    this(System.getenv(), Path.of(System.getProperty("tallyroll.home", ".")));
  }

  /**
   * @param home the folder of the checkout
   */
  Bill(Map<String, String> environment, Path home) {
    this.environment = environment;
    this.home = home;
  }

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Bill(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    check(rate >= 0.0001 && rate <= MOST_INCREMENTS, "--rate", "0.0001 to 100000", rate);
    check("--counters", counters, 1, MOST_COUNTERS);
    check(rate * counters <= MOST_INCREMENTS, "--rate", "100000 for all counters at most", rate);
    check("--shards", shards, 1, 100_000);
    check("--listeners", listeners, 0, 100_000_000);
    check("--deletes", deletes, 0, 100);
    check(views >= 0 && views <= 1e9, "--views", "0 to 1000000000", views);
    check("--buffered", servers, 0, 1_000);
    Load load = load();
    boolean areDocuments = load.shards().areDocuments();
    check(areDocuments || deletes == 0, "--deletes", "nothing without --documents", deletes);
    check(!areDocuments || servers == 0, "--buffered", "nothing beside --documents", servers);
    check(
        !areDocuments
            || !Objects.requireNonNull(spec)
                .commandLine()
                .getParseResult()
                .hasMatchedOption("--shards"),
        "--shards",
        "nothing beside --documents",
        shards);
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    if (staleness != null) {
      print(out, load, new Dial(prices, seconds(staleness)));
    } else {
      print(out, load);
    }
    return Invocation.RIGHT;
  }

  private static int seconds(String staleness) {
    String number = staleness.replaceAll("s$", "");
    check(
        Dial.STEPS.stream().map(String::valueOf).anyMatch(number::equals),
        "--staleness",
        "1s, 10s or 60s",
        staleness);
    return Integer.parseInt(number);
  }

  private void print(PrintWriter out, Load load, Dial dial) {
    Dial.Best best = dial.best(load);
    out.printf(
        "A total is at most %d s old, plus the time of some calls. The cheapest settings for this load:%n",
        dial.seconds());
    best.lines().forEach(line -> out.println("    " + line));
    String polls = best.load().polls() ? ", polled counters" : "";
    if (!polls.isEmpty()) {
      out.println("    # the counters are polled ones: RollUp sums each of them at every POLL");
    }
    row(out, "TALLYROLL" + polls, "", best.dollars());
    row(out, "with your settings" + (load.polls() ? ", polled counters" : ""), "", sum(load));
    out.println("\nAs fresh:");
    List<Offer> others = dial.others(load);
    for (int i = 0; i < others.size(); i++) {
      if (dial.isAlternative(i, load)) {
        row(out, others.get(i).name(), "", sum(others.get(i)));
      }
    }
    printSettings(out, load);
    out.flush();
  }

  /** The load of the options, with the settings of the environment and of the file. */
  Load load() {
    Load incremented =
        new Load(
            rate,
            counters,
            Shards.incremented(shards),
            listeners,
            views,
            polled,
            servers,
            settings());
    int number =
        Objects.requireNonNullElse(documents, incremented.countsDocuments() ? USUAL_DOCUMENTS : 0);
    check("--documents", number, 0, 100_000_000);
    return number == 0
        ? incremented
        : incremented.withShards(Shards.documents(number, deletes / 100.0));
  }

  private Map<String, String> settings() {
    return SettingsFile.below(environment, file == null ? Map.of() : SettingsFile.read(home, file));
  }

  private static void printSettings(PrintWriter out, Load load) {
    String priced = given(load, List.of(PRICED.split(", ")));
    out.println(
        "\nSettings that are priced: "
            + (priced.isEmpty() ? "" : priced + "; else ")
            + "those of deploy/gcloud/settings.env.");
    String others = given(load, NOT_PRICED);
    if (!others.isEmpty()) {
      out.println("Not in the formula: " + others);
    }
  }

  private static String given(Load load, List<String> keys) {
    return keys.stream()
        .filter(load.settings()::containsKey)
        .map(key -> key + "=" + load.settings().get(key))
        .filter(line -> !line.equals("COUNTERS=" + SettingsFile.COUNTERS))
        .collect(Collectors.joining(" "));
  }

  double sum(Offer offer) {
    return offer.dollars(prices) - (free ? offer.free(prices) : 0);
  }

  private double sum(Load load) {
    return sum(Offer.tallyroll(load));
  }

  private void print(PrintWriter out, Load load) {
    List<Offer> offers = Offer.all(load);
    Offer ours = offers.get(0);
    out.printf(
        Locale.ROOT,
        "Dollars for 30 days. Counters: %d%s. Of each, %s: %d; %s a second: %s;"
            + " listeners: %d; views a second: %s.%n%n",
        counters,
        load.polls() ? ", polled" : "",
        load.shards().areDocuments() ? "documents" : "shards",
        load.shards().number(),
        load.shards().areDocuments() ? "changes" : "increments",
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
        "%nA total is behind its shards for about %.2f seconds at the most.%n",
        Month.of(load).lag());
    warn(out, load, ours);
    warnOfPolls(out, load);
    advise(out, load);
    out.println("\nThe same otherwise:");
    for (Offer other : offers.subList(1, offers.size())) {
      row(out, other.name(), "", sum(other));
      if (!other.remark().isEmpty()) {
        out.println("    " + other.remark());
      }
    }
    out.printf(
        Locale.ROOT,
        "%nAssumed: an event arrives after %.0f ms; a call of Firestore takes %.0f ms; an event has"
            + " %,d bytes,%na message %,d; a request's log entry %,d bytes, a line of the functions"
            + " %d; instances are%nbilled in slots of %.0f ms; one of OnShardWritten takes 1,000"
            + " events a second.%n",
        Month.DELAY * 1e3,
        Month.CALL * 1e3,
        Offer.EVENT_BYTES,
        Offer.MESSAGE_BYTES,
        Offer.REQUEST_ENTRY_BYTES,
        Offer.LINE_BYTES,
        Month.SLOT * 1e3);
    out.printf("Prices of %s. %s%n", prices.date(), prices.about());
    printSettings(out, load);
  }

  /** Says so where sums cost more than all else together. */
  private void warn(PrintWriter out, Load load, Offer ours) {
    double sums =
        ours.lines().stream()
            .filter(line -> line.name().equals(Offer.SUMS))
            .mapToDouble(line -> line.dollars(prices))
            .sum();
    if (sums > ours.dollars(prices) / 2) {
      out.printf(
          Locale.ROOT,
          "%nSums are most of it: each costs %,.0f reads. A longer TICK with BURST=2, and"
              + " polls each minute make%nfewer of them; HOLD does not. With shards that clients"
              + " increment beside the documents, a sum costs%none read.%n",
          load.readsOfASum());
    }
  }

  /** Says so where most polls find a counter that nobody has changed. */
  private static void warnOfPolls(PrintWriter out, Load load) {
    double poll = Month.seconds(load.runs().timing().poll());
    double unchanged = Math.exp(-load.commits() * poll);
    if (load.polls() && load.runs().timing().pollsOften() && unchanged > 0.5) {
      out.printf(
          Locale.ROOT,
          "%nOf 100 polls of a counter, %.0f find that nobody has changed it, and cost a sum and a"
              + " read all the%nsame. With a trigger, or a longer POLL, there are fewer.%n",
          100 * unchanged);
    }
  }

  /** Names what would make this load cheaper by a hundredth or more: each, and all together. */
  private void advise(PrintWriter out, Load load) {
    double dollars = sum(load);
    Comparator<Saving> cheapest =
        Comparator.comparingDouble(change -> sum(change.to().apply(load)));
    out.println("\nCheaper for this load, each by itself:");
    Saving.advisable(load).stream()
        .flatMap(choices -> choices.stream().min(cheapest).stream())
        .sorted(cheapest)
        .forEach(
            change -> {
              double cheaper = sum(change.to().apply(load));
              if (cheaper < WORTH_IT * dollars) {
                row(out, change.name(), "saves " + money(dollars - cheaper), cheaper);
              }
            });
    Saving together = together(load);
    if (together.lines().size() > 1) {
      double cheaper = sum(together.to().apply(load));
      row(
          out,
          "the best together, as lines of the settings file:",
          "saves " + money(dollars - cheaper),
          cheaper);
      together.lines().forEach(line -> out.println("    " + line));
    }
  }

  /** The cheapest of all combinations, without what saves less than a hundredth of its bill. */
  private Saving together(Load load) {
    ToDoubleFunction<Saving> sum = change -> sum(change.to().apply(load));
    List<Saving> all = Saving.combined(Saving.advisable(load));
    double least = all.stream().mapToDouble(sum).min().orElse(0);
    return all.stream()
        .filter(change -> WORTH_IT * sum.applyAsDouble(change) <= least)
        .min(
            Comparator.<Saving>comparingInt(change -> change.lines().size())
                .thenComparingDouble(sum))
        .orElse(Saving.NONE);
  }

  static String number(double value) {
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
}
