package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.settings.SettingsFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
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
      "Prints what the totals of an entry cost in 30 days: by events, and without, line by line; beside"
          + " them, other ways to count. It is a formula for increments that arrive at random, which"
          + " deploy/local/src/main/java/dev/tallyroll/local/bill/README.md says in words; it"
          + " starts and calls nothing.",
      ""
    },
    footer = {
      "",
      "What is counted is in the file of --totals. These settings change the price, too, and are"
          + " taken from the environment, then from the file of --settings: "
          + Bill.PRICED
          + ". See deploy/gcloud/settings.env. The prices are those of deploy/prices.json.",
      "",
      "Examples:",
      "  deploy/local/bill --rate 1 --counters 100 --listeners 20 --views 5",
      "  deploy/local/bill --rate 20 --staleness 10s",
      "  deploy/local/bill --rate 20 --settings my.env",
      "  deploy/local/bill --totals totals.json --entry likes --documents 10000 --new 500",
      "  deploy/local/bill --documents 1000 --rate 1 --siblings 1 --unmatched 3"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:the bill was printed", "2:bad options or settings"})
final class Bill implements Callable<Integer> {
  static final String PRICED =
      "WORKERS, SWEEP_COUNTERS, FOLD, FOLD_DOCUMENTS, BILLING, HANDLER_CPU, ROLLUP_CPU,"
          + " ROLLUP_MEMORY";

  /** Settings that may change the price a little, which the formula leaves out. */
  private static final List<String> NOT_PRICED = List.of("MAX_INSTANCES");

  /** Documents below each counter, if the settings count them: a sum of so many is one read. */
  private static final int USUAL_DOCUMENTS = 1_000;

  /** The limit of increments a second of all counters, far above what was ever tried. */
  private static final double MOST_INCREMENTS = 100_000;

  private static final String TOTALS = "TOTALS";
  private static final int MOST_COUNTERS = 10_000;

  private static final int MOST_SIBLINGS = 20;

  /** Calls, and the start of a scheduled run, which an age leaves out. */
  private static final double AND_CALLS = 1.25;

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
      names = "--new",
      paramLabel = "N",
      description =
          "further counters a day that get their first increment, such as the first like of a post,"
              + " and no other (default ${DEFAULT-VALUE})")
  int firsts;

  @Option(
      names = "--shards",
      paramLabel = "N",
      description = "shards of each counter (default ${DEFAULT-VALUE})")
  int shards = 10;

  @Option(
      names = "--documents",
      paramLabel = "N",
      description =
          "documents of the app's own below each counter, which are its shards; an increment is then"
              + " a create, an update or a delete of one (default 1000 if the entry counts"
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
      names = "--siblings",
      paramLabel = "K",
      description =
          "so many further entries count each of these documents, too: a total more of each"
              + " counter, and no event more (default 0)")
  int siblings;

  @Option(
      names = "--unmatched",
      paramLabel = "U",
      description =
          "further writes a second, of all documents of the collection, that no entry counts, such"
              + " as drafts or another field: an event each (default ${DEFAULT-VALUE})")
  double unmatched;

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
      names = "--totals",
      paramLabel = "FILE",
      description =
          "the app's file of totals, such as totals.json (default: the one that TOTALS in the"
              + " settings names; without any, sharded counters)")
  @Nullable Path totals;

  @Option(
      names = "--entry",
      paramLabel = "NAME",
      description = "which of its entries is counted, if it has several")
  @Nullable String entry;

  @Option(
      names = "--staleness",
      paramLabel = "1s|10s|60s",
      description = "name the cheapest with which a total is at most so old")
  @Nullable String staleness;

  @Spec @Nullable CommandSpec spec;

  private final Prices prices = Prices.read();
  private final Map<String, String> environment;

  Bill() {
    this(SettingsFile.shell());
  }

  Bill(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Bill(), arguments);
  }

  @Override
  public Integer call() {
    check(rate >= 0.0001 && rate <= MOST_INCREMENTS, "--rate", "0.0001 to 100000", rate);
    check("--counters", counters, 1, MOST_COUNTERS);
    check(rate * counters <= MOST_INCREMENTS, "--rate", "100000 for all counters at most", rate);
    check("--new", firsts, 0, 1_000_000);
    check("--shards", shards, 1, 100_000);
    check("--listeners", listeners, 0, 100_000_000);
    check("--deletes", deletes, 0, 100);
    check(views >= 0 && views <= 1e9, "--views", "0 to 1000000000", views);
    check("--buffered", servers, 0, 1_000);
    check("--siblings", siblings, 0, MOST_SIBLINGS);
    check(unmatched >= 0 && unmatched <= MOST_INCREMENTS, "--unmatched", "0 to 100000", unmatched);
    Load load = load();
    boolean areDocuments = load.shards().areDocuments();
    check(areDocuments || siblings == 0, "--siblings", "nothing without --documents", siblings);
    check(areDocuments || unmatched == 0, "--unmatched", "nothing without --documents", unmatched);
    check(areDocuments || deletes == 0, "--deletes", "nothing without --documents", deletes);
    check(!areDocuments || servers == 0, "--buffered", "nothing beside --documents", servers);
    var line = Objects.requireNonNull(spec).commandLine();
    boolean givesShards = line.getParseResult().hasMatchedOption("--shards");
    check(!areDocuments || !givesShards, "--shards", "nothing beside --documents", shards);
    print(line.getOut(), load, Optional.ofNullable(staleness).map(Bill::period));
    return Invocation.RIGHT;
  }

  private static Duration period(String staleness) {
    check(staleness.matches("(1|10|60)s?"), "--staleness", "1s, 10s or 60s", staleness);
    return Duration.ofSeconds(Integer.parseInt(staleness.replace("s", "")));
  }

  /** The load of the options, with the settings of the environment and of the files. */
  Load load() {
    Map<String, String> settings =
        Invocation.settings(environment, Optional.ofNullable(file), Optional.ofNullable(totals));
    boolean folds = LocalCloudOptions.isFolding(settings);
    check(!folds || entry == null, "--entry", "nothing beside FOLD", String.valueOf(entry));
    int usual = folds || only(settings).looksLikeShardedCounter() ? 0 : USUAL_DOCUMENTS;
    Load incremented = load(Shards.incremented(shards), settings);
    int number = Objects.requireNonNullElse(documents, usual);
    check("--documents", number, 0, 100_000_000);
    return number == 0 ? incremented : load(Shards.documents(number, deletes / 100.0), settings);
  }

  /** The entry that is counted, which is then the only one of the settings. */
  private Entry only(Map<String, String> settings) {
    try {
      List<Entry> all = Settings.from(settings::get).entries();
      List<String> names = all.stream().map(Entry::name).toList();
      check(
          entry == null ? names.size() == 1 : names.contains(entry),
          "--entry",
          "one of " + String.join(", ", names),
          entry == null ? "none" : entry);
      String wanted = entry == null ? names.get(0) : entry;
      if (names.size() > 1) {
        JsonObject file = JsonParser.parseString(settings.get(TOTALS)).getAsJsonObject();
        file.keySet().retainAll(Set.of(wanted));
        settings.put(TOTALS, file.toString());
      }
      return all.get(names.indexOf(wanted));
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(String.valueOf(refused.getMessage()));
    }
  }

  private Load load(Shards of, Map<String, String> settings) {
    return new Load(
        rate, counters, firsts, of, listeners, views, 1 + siblings, unmatched, servers, settings);
  }

  double sum(Offer offer) {
    return offer.dollars(prices) - (free ? offer.free(prices) : 0);
  }

  private void print(PrintWriter out, Load load, Optional<Duration> most) {
    boolean areDocuments = load.shards().areDocuments();
    out.printf(
        Locale.ROOT,
        "Dollars for 30 days. Counters: %,d, and %,d new ones a day. Of each, %s: %,d; %s a second:"
            + " %s;%nlisteners: %,d; views a second: %s.%s%n%n",
        counters,
        firsts,
        areDocuments ? "documents" : "shards",
        load.shards().number(),
        areDocuments ? "changes" : "increments",
        number(rate),
        listeners,
        number(views),
        others());
    List<Load> ways = load.ways();
    List<Offer> ours = ways.stream().map(Offer::tallyroll).toList();
    row(out, "", ways, way -> way.poll().map(poll -> "each " + poll).orElse("events"));
    for (int i = 0; i < ours.get(0).lines().size(); i++) {
      int line = i;
      row(
          out,
          ours.get(0).lines().get(line).name(),
          ours,
          offer -> money(offer.lines().get(line).dollars(prices)));
    }
    if (free) {
      row(out, "free in a project", ours, offer -> money(-offer.free(prices)));
    }
    row(out, "TALLYROLL", ours, offer -> money(sum(offer)));
    row(
        out,
        "a total is at most so many seconds old",
        ways,
        way -> String.format(Locale.ROOT, "%.2f", Month.of(way).lag()));
    out.println();
    if (!load.folds()) {
      for (Duration period : Load.PERIODS) {
        rowOf(out, Offer.sumEach(Month.seconds(period), load));
      }
    }
    if (!areDocuments) {
      rowOf(out, Offer.extension(load));
    }
    rowOf(out, Offer.changesAlone(load));
    out.println();
    most.ifPresent(
        age ->
            out.printf(
                "Cheapest if a total may be %d s old, and the time of some calls: %s%n",
                age.toSeconds(), cheapest(ways, age).map(Bill::named).orElse("none of these")));
    if (!load.settings().containsKey("ROLLUP_CPU") && ways.size() > 1) {
      out.printf(
          "The columns without events are with ROLLUP_CPU=%s, which is enough: set it.%n",
          load.leastCpu());
    }
    printAssumed(out, load);
  }

  private String others() {
    return (siblings == 0 ? "" : " Entries that count each change: %d.".formatted(1 + siblings))
        + (unmatched == 0 ? "" : " Writes a second that none counts: " + number(unmatched) + ".");
  }

  private static String named(Load way) {
    return way.poll()
        .map(
            poll ->
                "\"events\": false, \"every\": \"%s\" and ROLLUP_CPU=%s"
                    .formatted(poll, way.settings().get("ROLLUP_CPU")))
        .orElse("events");
  }

  /** The cheapest way with which a total is at most so old, apart from the time of some calls. */
  Optional<Load> cheapest(List<Load> ways, Duration age) {
    return ways.stream()
        .filter(way -> Month.of(way).lag() <= age.toSeconds() * AND_CALLS)
        .min(Comparator.comparingDouble(way -> sum(Offer.tallyroll(way))));
  }

  private void printAssumed(PrintWriter out, Load load) {
    out.printf(
        Locale.ROOT,
        "Assumed: an event arrives after %.0f ms; a call of Firestore takes %.0f ms; an event has"
            + " %,d bytes,%na message %,d; a line of the functions in the log"
            + " %d; instances are%nbilled in slots of %.0f ms; one of OnShardWritten takes 1,000"
            + " events a second.%n",
        Month.DELAY * 1e3,
        Month.CALL * 1e3,
        Offer.EVENT_BYTES,
        Offer.MESSAGE_BYTES,
        Offer.LINE_BYTES,
        Month.SLOT * 1e3);
    out.printf("Prices of %s. %s%n", prices.date(), prices.about());
    if (load.settings().containsKey(TOTALS)) {
      out.println("Entry that is priced: " + load.settings().get(TOTALS));
    }
    String priced = given(load, List.of(PRICED.split(", ")));
    out.println(
        "Settings that are priced: "
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
        .collect(Collectors.joining(" "));
  }

  static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : Double.toString(value);
  }

  private void rowOf(PrintWriter out, Offer offer) {
    row(out, offer.name().replace("`", ""), List.of(offer), other -> money(sum(other)));
  }

  private static <T> void row(
      PrintWriter out, String name, List<T> columns, Function<T, String> cell) {
    out.println(
        columns.stream()
            .map(column -> String.format(Locale.ROOT, "%14s", cell.apply(column)))
            .collect(Collectors.joining("", String.format(Locale.ROOT, "%-50s", name), "")));
  }

  private static String money(double dollars) {
    return String.format(Locale.ROOT, "%,.2f", dollars);
  }
}
