package dev.tallyroll.local.up;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counters;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Operations;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The program behind {@code deploy/local/bench}: increments counters as a client, and prints the
 * lags of their roll-ups and the functions' operations for each increment. Used by one thread.
 */
@Command(
    name = "deploy/local/bench",
    description = {
      "Measures how long an increment that was acknowledged waits until its total is shown, and"
          + " what the functions do in Firestore for it: on the emulators, with the functions in"
          + " the official invoker, one row after the other, each with counters of its own. Wants"
          + " an idle machine.",
      ""
    },
    footer = {
      "",
      "later p99: of the increments from the second on that the row names. totals/s: roll-ups that a"
          + " reader saw while there was load. No system can show less than the lag beside them: with"
          + " w totals a second, p50 is at least 1/(2w) and p99 about 1/w. Firestore recommends at"
          + " most about one sustained write a second to one document"
          + " (https://firebase.google.com/docs/firestore/best-practices).",
      "",
      "Examples:",
      "  deploy/local/bench                               all rows, some quarter of an hour",
      "  deploy/local/bench --only tick-0.1 --only tick-1 two of them"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:measured",
      "1:an increment was lost or failed, or a total went back",
      "2:bad options",
      "3:could not start"
    })
final class Bench implements Callable<Integer> {
  private static final Duration SHORT = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofSeconds(45);
  private static final Duration WARM_UP = Duration.ofSeconds(15);
  private static final double WARM_UP_RATE = 100;
  private static final int WARM_UP_SHARDS = 100;
  private static final Duration SHOWN_WITHIN = Duration.ofSeconds(90);

  /** Longer than the time until the functions' last operations are counted. */
  private static final Duration TOLD_WITHIN = Duration.ofMillis(2_500);

  private static final double EACH_2500_MILLIS = 0.4;

  /** A counter with more increments than this for each total is busy: most increments then wait. */
  private static final int BUSY = 5;

  private static final long LOOK_AGAIN_MILLIS = 100;

  private static final Site PLAIN = new Site(Map.of(), 1, Duration.ZERO, false);
  private static final Site COLD = new Site(Map.of(), 1, Duration.ZERO, true);
  private static final Site LATE = late(4);
  private static final Site LATER = late(8);
  private static final Site FOLD = new Site(Map.of("FOLD", "PT1S"), 1, Duration.ZERO, false);
  private static final Site THREE = new Site(Map.of(), 3, Duration.ZERO, false);

  private static final List<Row> ROWS =
      List.of(
          new Row("20", PLAIN, new Load(20, 1, 10), SHORT, 8),
          new Row("100", PLAIN, new Load(100, 1, 100), SHORT, 8),
          new Row("300", PLAIN, new Load(300, 1, 300), SHORT, 8),
          new Row("quiet", PLAIN, new Load(EACH_2500_MILLIS, 1, 10), Duration.ofSeconds(30), 8),
          new Row("fifty", PLAIN, new Load(100, 50, 10), LONG, 25),
          new Row("tick-0.1", tick("PT0.1S", "PT5S"), new Load(100, 1, 100), SHORT, 8),
          new Row("tick-0.25", tick("PT0.25S", "PT5S"), new Load(100, 1, 100), SHORT, 8),
          new Row("tick-1", tick("PT1S", "PT5S"), new Load(100, 1, 100), SHORT, 8),
          new Row("tick-5", tick("PT5S", "PT25S"), new Load(100, 1, 100), LONG, 15),
          new Row("three", THREE, new Load(100, 1, 100), SHORT, 8),
          new Row("late-20", LATE, new Load(20, 1, 10), LONG, 8),
          new Row("late-100", LATE, new Load(100, 1, 100), LONG, 8),
          new Row("later-20", LATER, new Load(20, 1, 10), LONG, 18),
          new Row("later-100", LATER, new Load(100, 1, 100), LONG, 18),
          new Row("cold-100", COLD, new Load(100, 1, 100), LONG, 15),
          new Row("cold-300", COLD, new Load(300, 1, 300), LONG, 15),
          // The first increment waits for the schedule's next run.
          new Row(
              "polled-100", PLAIN, new Load(100, 1, 100, Kind.POLLED), Duration.ofSeconds(90), 65),
          new Row("fold-20", FOLD, new Load(20, 1, 10, Kind.FOLDED), SHORT, 8),
          new Row("fold-100", FOLD, new Load(100, 1, 100, Kind.FOLDED), SHORT, 8),
          new Row("fold-300", FOLD, new Load(300, 1, 300, Kind.FOLDED), SHORT, 8),
          new Row("fold-fifty", FOLD, new Load(100, 50, 10, Kind.FOLDED), LONG, 25),
          new Row("fold-new", FOLD, new Load(100, 1, 0, Kind.FOLDED), SHORT, 8));

  private static final List<Integer> LIVE = List.of(1, 100, 1_000, 2_000, 10_000);

  @Option(
      names = "--only",
      paramLabel = "ROW",
      description = "only this row; may be given several times")
  private List<String> only = new ArrayList<>();

  @Option(names = "--list", description = "print the rows' names and what they measure")
  private boolean list;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "how long the load of each row lasts (default: 20 to 45, see --list)")
  private Optional<Integer> seconds = Optional.empty();

  private final PrintStream out = System.out;
  private boolean right = true;

  /**
   * A cloud for some rows, and its conditions.
   *
   * @param instances of OnShardWritten; an event goes to any of them
   * @param late the delay of each event
   * @param cold whether the functions have just started and have handled no event
   */
  private record Site(Map<String, String> settings, int instances, Duration late, boolean cold) {
    @Override
    public String toString() {
      return (settings.isEmpty() ? "" : settings + ", ")
          + (instances == 1 ? "" : instances + " handlers, ")
          + (late.isZero() ? "" : "every event " + late.toSeconds() + " s late, ")
          + (cold
              ? "functions just started (cold)"
              : "after %d s of %.0f/s on another counter"
                  .formatted(WARM_UP.toSeconds(), WARM_UP_RATE));
    }
  }

  /** How increments are counted. */
  private enum Kind {
    ROLLED_UP,
    POLLED,
    /** In the extension's place: the shards are its clients'; without any, each is a new one. */
    FOLDED
  }

  private record Load(double perSecond, int counters, int shards, Kind kind) {
    Load(double perSecond, int counters, int shards) {
      this(perSecond, counters, shards, Kind.ROLLED_UP);
    }

    @Override
    public String toString() {
      String how = kind == Kind.ROLLED_UP ? "" : ", " + kind.name().toLowerCase(Locale.ROOT);
      return String.format(
          Locale.ROOT,
          "%s/s over %d x %s shards%s",
          perSecond,
          counters,
          shards == 0 ? "new" : shards,
          how);
    }

    DemoCounter counter(Firestore firestore, String id)
        throws ExecutionException, InterruptedException {
      if (kind == Kind.FOLDED) {
        var page = firestore.document("pages/" + id);
        return new DemoCounter(new FoldedPage(page, FoldLayout.EXTENSION, shards));
      }
      Counters ours = FirestoreCounters.of(firestore);
      return DemoCounter.create(kind == Kind.POLLED ? ours.polled(id) : ours.counter(id), shards);
    }
  }

  /**
   * A row of the table.
   *
   * @param later the second from which the column "later p99" counts lags
   */
  private record Row(String name, Site site, Load load, Duration lasts, int later) {
    Row lasting(Duration other) {
      return new Row(name, site, load, other, later);
    }

    @Override
    public String toString() {
      return "%-10s %s for %d s, lag also from second %d on, %s"
          .formatted(name, load, lasts.toSeconds(), later, site);
    }
  }

  private static Site late(int seconds) {
    return new Site(Map.of(), 1, Duration.ofSeconds(seconds), false);
  }

  private static Site tick(String tick, String lease) {
    return new Site(Map.of("TICK", tick, "LEASE", lease), 1, Duration.ZERO, false);
  }

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Bench(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    seconds.ifPresent(given -> Invocation.check("--seconds", given, 1, 3_600));
    List<String> names = new ArrayList<>(ROWS.stream().map(Row::name).toList());
    LIVE.forEach(counters -> names.add("live-" + counters));
    names.add(BufferedClients.NAME);
    for (String wanted : only) {
      Invocation.check(names.contains(wanted), "--only", "one of " + names, wanted);
    }
    if (list) {
      ROWS.forEach(out::println);
      LIVE.forEach(
          counters ->
              out.printf(
                  "%-10s %d live counters, on a stub that answers each call after 40 ms%n",
                  "live-" + counters, counters));
      out.println(BufferedClients.description());
      return Invocation.RIGHT;
    }
    measureSites();
    measureLive();
    measureBuffered();
    return right ? Invocation.RIGHT : Invocation.WRONG;
  }

  private boolean isWanted(String row) {
    return only.isEmpty() || only.contains(row);
  }

  /** Consecutive rows with the same site share one cloud, unless the site is cold. */
  private void measureSites() throws Exception {
    List<Row> wanted =
        ROWS.stream()
            .filter(row -> isWanted(row.name()))
            .map(row -> seconds.map(given -> row.lasting(Duration.ofSeconds(given))).orElse(row))
            .toList();
    if (!wanted.isEmpty()) {
      out.println(
          "row        acknowledged failed lost | lag p50   p99   max  later p99 | totals/s  least p50"
              + "   p99 | reads   sums  writes  deletes (per increment)");
    }
    for (int i = 0; i < wanted.size(); ) {
      Site site = wanted.get(i).site();
      try (LocalCloud cloud = start(site)) {
        Firestore firestore = cloud.openFirestore();
        if (!site.cold()) {
          Kind kind = site.equals(FOLD) ? Kind.FOLDED : Kind.ROLLED_UP;
          Load load = new Load(WARM_UP_RATE, 1, WARM_UP_SHARDS, kind);
          var unused = measure(new Row("warm-up", site, load, WARM_UP, 0), cloud, firestore);
        }
        do {
          out.println("  " + wanted.get(i));
          out.println(measure(wanted.get(i), cloud, firestore));
          i++;
        } while (i < wanted.size() && !site.cold() && wanted.get(i).site().equals(site));
        firestore.shutdown();
      }
    }
  }

  private static LocalCloud start(Site site) {
    var cloud = new LocalCloudOptions().eventDelay(site.late()).instances(site.instances());
    return LocalCloud.start(site.settings().isEmpty() ? cloud : cloud.settings(site.settings()));
  }

  private String measure(Row row, LocalCloud cloud, Firestore firestore)
      throws ExecutionException, InterruptedException {
    Operations before = cloud.operations();
    List<DemoCounter> counters = new ArrayList<>();
    for (int i = 0; i < row.load().counters(); i++) {
      counters.add(row.load().counter(firestore, "bench-" + row.name() + "-" + i));
    }
    long started = System.nanoTime();
    long seenBefore = versions(counters);
    Traffic traffic = Traffic.even(counters, row.load().perSecond());
    TimeUnit.NANOSECONDS.sleep(row.lasts().toNanos());
    traffic.close();
    double totals = (versions(counters) - seenBefore) / (double) row.lasts().toSeconds();
    long lost = awaitShown(counters, traffic);
    TimeUnit.NANOSECONDS.sleep(TOLD_WITHIN.toNanos());
    Operations done = cloud.operations().minus(before);
    counters.forEach(DemoCounter::close);
    right &=
        lost == 0
            && traffic.failed() == 0
            && counters.stream().allMatch(counter -> counter.backwards() == 0);
    long later = started + TimeUnit.SECONDS.toNanos(row.later());
    return columns(row, counters, traffic.failed(), lost, later, totals / counters.size(), done);
  }

  private static long versions(List<DemoCounter> counters) {
    return counters.stream().mapToLong(DemoCounter::versions).sum();
  }

  /** Waits until all increments are shown and settled; returns how many are not shown. */
  private static long awaitShown(List<DemoCounter> counters, Traffic traffic)
      throws ExecutionException, InterruptedException {
    long end = System.nanoTime() + SHOWN_WITHIN.toNanos();
    while (true) {
      long lost = 0;
      boolean live = false;
      for (DemoCounter counter : counters) {
        lost += counter.exact() - counter.shown().longValue();
        live |= counter.shown().isLive();
      }
      if ((lost == 0 && !live && traffic.isAnswered()) || System.nanoTime() - end > 0) {
        return lost;
      }
      Thread.sleep(LOOK_AGAIN_MILLIS);
    }
  }

  private static String columns(
      Row row,
      List<DemoCounter> counters,
      long failed,
      long lost,
      long later,
      double totals,
      Operations done) {
    long acknowledged = counters.stream().mapToLong(DemoCounter::acknowledged).sum();
    double increments = Math.max(1, acknowledged);
    Lags lags = Lags.of(counters.stream().flatMap(c -> c.lags().stream()).toList());
    Lags last = Lags.of(counters.stream().flatMap(c -> c.lagsSince(later).stream()).toList());
    // A counter with few increments can have a total for each of them.
    boolean busy = row.load().perSecond() / counters.size() > BUSY * totals;
    return String.format(
        Locale.ROOT,
        "%-10s %12d %6d %4d | %7.2f %5.2f %5.2f  %9s | %8.2f  %9s %5s | %5.3f  %5.3f  %6.3f"
            + "  %7.3f",
        row.name(),
        acknowledged,
        failed,
        lost,
        lags.p50(),
        lags.p99(),
        lags.max(),
        last.count() == 0 ? "-" : seconds(last.p99()),
        totals,
        busy ? seconds(1 / (2 * totals)) : "-",
        busy ? seconds(1 / totals) : "-",
        done.reads() / increments,
        done.sums() / increments,
        done.writes() / increments,
        done.deletes() / increments);
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.2f", seconds);
  }

  private void measureLive() throws Exception {
    List<Integer> wanted = LIVE.stream().filter(counters -> isWanted("live-" + counters)).toList();
    if (!wanted.isEmpty()) {
      out.println(
          "\n  live counters on a stub that answers each call after 40 ms, after "
              + LiveCounters.WARM_UP.toSeconds()
              + " s of the same");
      out.println(LiveCounters.HEADING);
    }
    for (int counters : wanted) {
      Duration lasts = seconds.map(Duration::ofSeconds).orElse(SHORT);
      out.println(LiveCounters.measure("live-" + counters, counters, lasts));
    }
  }

  private void measureBuffered() throws Exception {
    if (isWanted(BufferedClients.NAME)) {
      Duration lasts = seconds.map(Duration::ofSeconds).orElse(BufferedClients.LASTS);
      try (LocalCloud cloud = start(PLAIN)) {
        right &= BufferedClients.measure(cloud, lasts, out);
      }
    }
  }
}
