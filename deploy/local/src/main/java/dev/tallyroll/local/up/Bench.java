package dev.tallyroll.local.up;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counters;
import dev.tallyroll.local.HttpDeliveries;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.FoldLayout;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
      "later p99: of the increments after the functions' first seconds with the load, which"
          + " deploy/local/src/main/java/dev/tallyroll/local/up/README.md names. totals/s: roll-ups"
          + " that a reader saw while there was load.",
      "",
      "Rows of documents, of several entries, and without events, come only by --only. A line below"
          + " those of documents has the lag for each field of a post, and how long a sum over all"
          + " documents takes, with the reads that Firestore bills for it, where the table's column"
          + " counts sums; and one has the functions' commits and their CPU.",
      "",
      "Examples:",
      "  deploy/local/bench                             all but these, some quarter of an hour",
      "  deploy/local/bench --only tick-0.1 --only 100  two of them",
      "  deploy/local/bench --only six --only two-fields"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:measured",
      "1:an increment was lost or failed, a total went back, or a post's field was wrong",
      "2:bad options",
      "3:could not start"
    })
final class Bench implements Callable<Integer> {
  private static final String HEADING =
      """
                                             acknow-               lag                later  totals |    for each increment
      row                                    ledged failed lost    p50    p99    max    p99       /s |  reads   sums  writes deletes\
      """;

  private static final Duration WARM_UP = Duration.ofSeconds(15);
  private static final Duration SHOWN_WITHIN = Duration.ofMinutes(5);

  /** Longer than the time until the functions' last operations are counted. */
  private static final Duration TOLD_WITHIN = Duration.ofMillis(2_500);

  /** Longer than the emulator takes to tell of each document of the largest row. */
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(15);

  /** About how long a start and a warm-up take, and the end of a row. */
  private static final Duration START = Duration.ofSeconds(30);

  private static final Duration SETTLING = Duration.ofSeconds(8);

  /** About as many documents are made, and their events handled. */
  private static final int DOCUMENTS_A_SECOND = 200;

  private static final long PAUSE_MILLIS = 100;

  private static final Site PLAIN = new Site(Map.of(), 1, Duration.ZERO, false);
  private static final Site QUICK =
      new Site(
          Map.of("TOTALS", counters("\"every\": \"PT0.1S\""), "LEASE", "PT5S"),
          1,
          Duration.ZERO,
          false);
  private static final Site THREE = new Site(Map.of(), 3, Duration.ZERO, false);
  private static final Site LATE = new Site(Map.of(), 1, Duration.ofSeconds(4), false);
  private static final Site LATER = new Site(Map.of(), 1, Duration.ofSeconds(8), false);
  private static final Site COLD = new Site(Map.of(), 1, Duration.ZERO, true);

  /** Instances with less than a vCPU: one event at a time, and the default of MAX_INSTANCES. */
  private static final Site PARTS = new Site(Map.of(), 20, 1, Duration.ZERO, false);

  private static final Site COLD_PARTS = new Site(Map.of(), 20, 1, Duration.ZERO, true);
  private static final Site FOLD =
      new Site(Map.of("FOLD", "PT1S", "FOLD_DOCUMENTS", "pages/{page}"), 1, Duration.ZERO, false);

  private static final Site POLLS = polls("PT1S");
  private static final Site SLOW_POLLS = polls("PT10S");

  private static final Duration SILENCE = Duration.ofMinutes(2);

  private static final String LIKES_ENTRY = likes("");
  private static final String COMMENTS_ENTRY =
      """
      "comments": {"of": "posts/{post}/comments", "into": {"count": "comments"}}""";

  /** Summed each second, however many there are. */
  private static final Site LIKES = totals(likes(", \"every\": \"PT1S\""));

  /** A post of many likes is summed each minute, beside one of few. */
  private static final Site LARGE = totals(LIKES_ENTRY);

  private static final int FEW = 10;
  private static final Site TWO_FIELDS = totals(LIKES_ENTRY, COMMENTS_ENTRY);
  private static final Site SIX =
      totals(
          LIKES_ENTRY,
          COMMENTS_ENTRY,
          """
          "ratings": {"of": "posts/{post}/ratings", "sum": "stars",
            "into": {"count": "ratings", "average": "average"}}""",
          """
          "counters": {"of": "counters/{counter}/shards", "sum": "count"}""",
          """
          "votes": {"of": "votes/{vote}/shards", "sum": "count", "rollups": "vote_totals"}""",
          """
          "views": {"of": "views/{view}/shards", "sum": "count", "rollups": "view_totals"}""");
  private static final String ONE_POST = "two-fields";

  /** Five entries of one collection: each document is in one of them. */
  private static final Site STARS =
      totals(
          IntStream.rangeClosed(1, 5)
              .mapToObj(
                  stars ->
                      """
                      "stars%1$d": {"of": "reviews", "where": {"stars": %1$d},
                        "document": "products/{productId}", "into": {"count": "stars.s%1$d"}}"""
                          .formatted(stars))
              .toArray(String[]::new));

  private static final Site MOVES =
      totals(
          """
          "open": {"of": "tickets", "where": {"isOpen": true},
            "document": "teams/{team}", "into": {"count": "open"}}""");

  private static final List<Row> ROWS =
      List.of(
          new Row("20", "20/s, 10 shards", PLAIN, 20, 1, 10, 20, 8),
          new Row("100", "100/s, 100 shards", PLAIN, 100, 1, 100, 20, 8),
          new Row("300", "300/s, 300 shards", PLAIN, 300, 1, 300, 20, 8),
          new Row("quiet", "one each 2.5 s, 10 shards", PLAIN, 0.4, 1, 10, 30, 8),
          new Row("tick-0.1", "100/s, every 0.1 s", QUICK, 100, 1, 100, 20, 8),
          new Row("three", "100/s, three handlers", THREE, 100, 1, 100, 20, 8),
          new Row("late-100", "100/s, events 4 s late", LATE, 100, 1, 100, 45, 8),
          new Row("later-20", "20/s, events 8 s late", LATER, 20, 1, 10, 45, 18),
          new Row("cold-300", "300/s, just started", COLD, 300, 1, 300, 45, 15),
          new Row("parts-20", "20/s, 20 x one event", PARTS, 20, 1, 10, 20, 8),
          new Row("parts-300", "300/s, 20 x one event", PARTS, 300, 1, 300, 20, 8),
          new Row("parts-new", "20 new ones, 20 x one event", PARTS, 1, 20, 100, 20, 8),
          new Row("parts-cold", "300/s, 20 x one, just started", COLD_PARTS, 300, 1, 300, 45, 15),
          new Row("fold-20", "20/s, 10 clients", FOLD, 20, 1, 10, 20, 8),
          new Row("fold-100", "100/s, 100 clients", FOLD, 100, 1, 100, 20, 8),
          new Row("fold-300", "300/s, 300 clients", FOLD, 300, 1, 300, 20, 8),
          new Row("fold-fifty", "100/s, 50 pages x 10 clients", FOLD, 100, 50, 10, 45, 25),
          new Row("fold-new", "100/s, each on a new shard", FOLD, 100, 1, 0, 20, 8),
          new Row("polls-1", "0.7/s, after 2 quiet minutes", POLLS, 0.7, 1, 10, 90, 0),
          new Row("polls-10", "7/s on 10 counters", POLLS, 7, 10, 10, 90, 0),
          new Row("polls-100", "20/s on 100 counters", POLLS, 20, 100, 10, 90, 0),
          new Row("polls-slow", "0.1/s, every 10 s", SLOW_POLLS, 0.1, 1, 10, 90, 0),
          new Row("documents-0", "20/s, after 0", LIKES, 20, 1, 0, 20, 8),
          new Row("documents-1000", "20/s, after 1,000", LIKES, 20, 1, 1_000, 20, 8),
          new Row("documents-10000", "20/s, after 10,000", LIKES, 20, 1, 10_000, 20, 8),
          new Row("documents-50000", "20/s, after 50,000", LIKES, 20, 1, 50_000, 20, 8),
          new Row("documents-apart", "2 x 20/s, two posts", TWO_FIELDS, 40, 2, 0, 20, 8),
          new Row(ONE_POST, "2 x 20/s, fields of one post", TWO_FIELDS, 40, 2, 0, 20, 8),
          new Row("six", "6 entries x 20/s", SIX, 120, 6, 10, 20, 8),
          new Row("large-1", "1/s, after 100,000 and 10", LARGE, 2, 2, 100_000, 180, 0),
          new Row("large-20", "20/s, after 100,000 and 10", LARGE, 40, 2, 100_000, 180, 0),
          new Row("stars", "20/s, 1 to 5 stars", STARS, 20, 5, 0, 20, 8),
          new Row("moves", "20/s from team to team", MOVES, 20, 1, 500, 20, 8));

  @Option(
      names = "--only",
      paramLabel = "ROW",
      description = "only this row; may be given several times")
  private List<String> only = new ArrayList<>();

  @Option(names = "--list", description = "print the rows' names and what they measure")
  private boolean list;

  @Spec private @Nullable CommandSpec spec;

  private final PrintStream out = System.out;
  private boolean right = true;

  /**
   * A cloud for some rows, and its conditions.
   *
   * @param settings of the functions
   * @param instances of OnShardWritten; an event goes to any that has room for it
   * @param events that an instance takes at a time
   * @param late the delay of each event
   * @param cold whether the functions have just started and have handled no event
   */
  private record Site(
      Map<String, String> settings, int instances, int events, Duration late, boolean cold) {

    /** With instances of a whole vCPU. */
    Site(Map<String, String> settings, int instances, Duration late, boolean cold) {
      this(settings, instances, HttpDeliveries.CONCURRENCY, late, cold);
    }

    /** The entries of a row that does not fold. */
    List<Entry> entries() {
      return Served.by(settings).entries();
    }
  }

  private static Site totals(String... entries) {
    return new Site(
        Map.of("TOTALS", "{" + String.join(", ", entries) + "}"), 1, Duration.ZERO, false);
  }

  private static String likes(String keys) {
    return "\"likes\": {\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"likes\"}%s}"
        .formatted(keys);
  }

  /** A file with the entry of Google's samples, and a further key of it. */
  private static String counters(String key) {
    return "{\"counters\": {\"of\": \"counters/{counter}/shards\", \"sum\": \"count\", %s}}"
        .formatted(key);
  }

  private static Site polls(String every) {
    String totals = counters("\"events\": false, \"every\": \"" + every + "\"");
    return new Site(Map.of("TOTALS", totals), 1, Duration.ZERO, false);
  }

  /**
   * A row of the table.
   *
   * @param counters each of the next entry, and again from the first
   * @param shards of each counter; with FOLD, clients with a shard each, and without any, each
   *     increment is on a new one; of posts, documents that are there before
   * @param seconds how long the load lasts
   * @param later the second from which the column "later p99" counts lags
   */
  private record Row(
      String name,
      String what,
      Site site,
      double perSecond,
      int counters,
      int shards,
      int seconds,
      int later) {
    DemoCounter counter(Firestore firestore, int number)
        throws ExecutionException, InterruptedException {
      String id = "bench-" + name + "-" + number;
      if (site.equals(FOLD)) {
        var page = firestore.document("pages/" + id);
        return new DemoCounter(new FoldedPage(page, FoldedPage.VISITS, FoldLayout.SHARDS, shards));
      }
      Entry entry = entry(number);
      if (!entry.looksLikeShardedCounter()) {
        return new DemoCounter(documents(firestore, number));
      }
      Counters ours = DemoCounter.counters(firestore, entry);
      return DemoCounter.create(id, ours.counter(id), shards);
    }

    private Entry entry(int number) {
      List<Entry> entries = site.entries();
      return entries.get(number % entries.size());
    }

    /** Whether a counter is the field of a post. */
    boolean isPost(int number) {
      return !site.equals(FOLD) && !entry(number).looksLikeShardedCounter();
    }

    /** Whether this row goes on in the cloud of the row before. */
    boolean sharesCloudWith(Row before) {
      return !site.cold() && site.equals(before.site());
    }

    /** About how long it takes, with what settles after the load. */
    Duration takes() {
      return Duration.ofSeconds(seconds)
          .plus(SETTLING)
          .plus(isSilentBefore() ? SILENCE : Duration.ZERO)
          .plusSeconds(hasPosts() ? shards / DOCUMENTS_A_SECOND : 0);
    }

    /** Whether this row takes too long to be measured unasked. */
    boolean isLong() {
      return hasPosts() || polls();
    }

    boolean polls() {
      return site.equals(POLLS) || site.equals(SLOW_POLLS);
    }

    boolean isSilentBefore() {
      return polls() || site.equals(LARGE);
    }

    boolean hasPosts() {
      return Set.of(LIKES, LARGE, TWO_FIELDS, SIX, STARS, MOVES).contains(site);
    }

    boolean moves() {
      return site.equals(MOVES);
    }

    private boolean isOfOneDocument() {
      return name.equals(ONE_POST) || site.equals(STARS);
    }

    CountedPost post(Firestore firestore, int number) {
      String id = "bench-" + name + (isOfOneDocument() ? "" : "-" + number);
      long before = site.equals(LARGE) && number > 0 ? FEW : shards;
      return new CountedPost(firestore, id, entry(number), before);
    }

    private DemoCounter.Source documents(Firestore firestore, int number)
        throws ExecutionException, InterruptedException {
      return moves()
          ? new MovedDocuments(post(firestore, number), target(firestore))
          : post(firestore, number);
    }

    /** The total to which a move brings a document. */
    CountedPost target(Firestore firestore) {
      return new CountedPost(firestore, "bench-" + name + "-to", entry(0), /* before= */ 0);
    }
  }

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Bench(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    Map<String, String> rows = new LinkedHashMap<>();
    ROWS.forEach(row -> rows.put(row.name(), row.what()));
    for (String wanted : only) {
      Invocation.check(rows.containsKey(wanted), "--only", "one of " + rows.keySet(), wanted);
    }
    if (list) {
      rows.forEach((name, what) -> out.printf("%-15s %s%n", name, what));
      return Invocation.RIGHT;
    }
    measureSites();
    return right ? Invocation.RIGHT : Invocation.WRONG;
  }

  private boolean isWanted(Row row) {
    return only.isEmpty() ? !row.isLong() : only.contains(row.name());
  }

  /** What comes, before the first row of the table does, which takes a minute. */
  private static String plan(List<Row> rows) {
    Duration all = Duration.ZERO;
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      boolean shares = i > 0 && row.sharesCloudWith(rows.get(i - 1));
      all = all.plus(shares ? Duration.ZERO : START).plus(row.takes());
    }
    long minutes = all.toMinutes() + 1;
    return """
        measuring %d row%s, some %d minute%s in all: starts the emulators and the functions for \
        each setting, warms them up, and counts; a line after each row"""
        .formatted(rows.size(), rows.size() == 1 ? "" : "s", minutes, minutes == 1 ? "" : "s");
  }

  /** Consecutive rows with the same site share one cloud, unless the site is cold. */
  private void measureSites() throws Exception {
    List<Row> wanted = ROWS.stream().filter(this::isWanted).toList();
    Objects.requireNonNull(spec).commandLine().getErr().println(plan(wanted));
    out.println(HEADING);
    for (int i = 0; i < wanted.size(); ) {
      Site site = wanted.get(i).site();
      try (LocalCloud cloud = start(site)) {
        Firestore firestore = cloud.openFirestore();
        if (!site.cold()) {
          var unused = measure(warmUp(site), cloud, firestore);
        }
        do {
          out.println(measure(wanted.get(i), cloud, firestore));
          i++;
        } while (i < wanted.size() && wanted.get(i).sharesCloudWith(wanted.get(i - 1)));
        firestore.shutdown();
      }
    }
  }

  /** A document moves only once. */
  private static Row warmUp(Site site) {
    int seconds = (int) WARM_UP.toSeconds();
    return site.equals(MOVES)
        ? new Row("warm-up", "", site, 20, 1, 500, seconds, 0)
        : new Row("warm-up", "", site, 100, Math.max(1, site.entries().size()), 100, seconds, 0);
  }

  private static LocalCloud start(Site site) {
    var options =
        new LocalCloudOptions()
            .eventDelay(site.late())
            .instances(site.instances())
            .concurrency(site.events());
    return LocalCloud.start(
        site.settings().isEmpty() ? options : options.settings(site.settings()));
  }

  /** The CPU that the first handler and RollUp have used. */
  private static Duration cpu(LocalCloud cloud) {
    return Stream.of(cloud.onShardWritten(), cloud.rollUp())
        .flatMap(function -> ProcessHandle.of(function.pid()).stream())
        .flatMap(process -> process.info().totalCpuDuration().stream())
        .reduce(Duration.ZERO, Duration::plus);
  }

  private String measure(Row row, LocalCloud cloud, Firestore firestore) throws Exception {
    fill(row, cloud, firestore);
    Operations before = cloud.operations();
    long commits = cloud.calls().count(Occurrence.COMMIT);
    long refused = cloud.calls().count(Occurrence.COMMIT_REFUSED);
    Duration cpu = row.hasPosts() ? cpu(cloud) : Duration.ZERO;
    List<DemoCounter> counters = new ArrayList<>();
    for (int i = 0; i < row.counters(); i++) {
      counters.add(row.counter(firestore, i));
    }
    if (row.isSilentBefore()) {
      TimeUnit.NANOSECONDS.sleep(SILENCE.toNanos());
    }
    long started = System.nanoTime();
    long seenBefore = versions(counters);
    Traffic traffic = Traffic.even(counters, row.perSecond());
    TimeUnit.SECONDS.sleep(row.seconds());
    traffic.close();
    double totals = (versions(counters) - seenBefore) / (double) row.seconds() / row.counters();
    long lost = awaitShown(counters, traffic);
    for (DemoCounter counter : counters) {
      for (CountedPost post : posts(counter)) {
        right &= await(post::isSettled);
      }
    }
    TimeUnit.NANOSECONDS.sleep(TOLD_WITHIN.toNanos());
    Operations done = cloud.operations().minus(before);
    commits = cloud.calls().count(Occurrence.COMMIT) - commits;
    refused = cloud.calls().count(Occurrence.COMMIT_REFUSED) - refused;
    Duration used = row.hasPosts() ? cpu(cloud).minus(cpu) : Duration.ZERO;
    counters.forEach(DemoCounter::close);
    right &=
        lost == 0
            && traffic.failed() == 0
            && counters.stream().allMatch(counter -> counter.backwards() == 0);
    long later = started + TimeUnit.SECONDS.toNanos(row.later());
    double increments = Math.max(1, traffic.acknowledged());
    Lags lags = Lags.of(counters.stream().flatMap(c -> c.lags().stream()).toList());
    Lags last = Lags.of(counters.stream().flatMap(c -> c.lagsSince(later).stream()).toList());
    String figures =
        String.format(
            Locale.ROOT,
            "%-39s %5d %6d %4d %6.2f %6.2f %6.2f %6.2f %8.2f | %6.3f %6.3f %7.3f %7.3f",
            String.format("%-10s %s", row.name(), row.what()),
            traffic.acknowledged(),
            traffic.failed(),
            lost,
            lags.p50(),
            lags.p99(),
            lags.max(),
            last.p99(),
            totals,
            done.reads() / increments,
            done.sums() / increments,
            done.writes() / increments,
            done.deletes() / increments);
    return row.hasPosts()
        ? figures
            + ofPosts(counters)
            + String.format(
                Locale.ROOT,
                "%n  %d commits, %d refused; the functions took %.1f s of CPU",
                commits,
                refused,
                used.toMillis() / 1e3)
        : figures;
  }

  private static List<CountedPost> posts(DemoCounter counter) {
    return counter.source instanceof MovedDocuments moved
        ? moved.both()
        : counter.source instanceof CountedPost post ? List.of(post) : List.of();
  }

  /** Creates a row's posts, and waits until the functions have nothing to do for them. */
  private void fill(Row row, LocalCloud cloud, Firestore firestore) throws Exception {
    HttpDeliveries events = cloud.deliveries();
    if (row.moves()) {
      row.target(firestore).fill();
    }
    for (int i = 0; i < row.counters(); i++) {
      if (row.isPost(i)) {
        CountedPost post = row.post(firestore, i);
        long all = events.count(Occurrence.DELIVERED) + post.before();
        post.fill();
        right &= await(() -> events.count(Occurrence.DELIVERED) >= all && post.isSettled());
      }
    }
  }

  /** Checks the fields of settled posts; a line for each. */
  private String ofPosts(List<DemoCounter> counters)
      throws ExecutionException, InterruptedException {
    var lines = new StringBuilder();
    for (DemoCounter counter : counters) {
      for (CountedPost post : posts(counter)) {
        boolean exact = post.isExact();
        right &= exact;
        lines.append(
            String.format(
                Locale.ROOT,
                "%n  %s: %s, lag p99 %.2f s, of the first %.2f s; a sum takes %.3f s (p50) and costs %d reads",
                post.name(),
                exact ? "exact" : "WRONG",
                Lags.of(counter.lags()).p99(),
                Lags.of(counter.lags().stream().limit(1).toList()).max(),
                Lags.of(post.timeSums()).p50(),
                post.readsOfSum()));
      }
    }
    return lines.toString();
  }

  private static boolean await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + SETTLED_WITHIN.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return true;
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
        lost += counter.source.exact() - counter.shown().longValue();
        live |= counter.shown().isLive();
      }
      if ((lost == 0 && !live && traffic.isAnswered()) || System.nanoTime() - end > 0) {
        return lost;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
