package dev.tallyroll.local.up;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import com.google.common.base.Joiner;
import com.google.common.base.Suppliers;
import com.google.common.net.HostAndPort;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.SecurityRules;
import dev.tallyroll.local.up.Controls.Rights;
import dev.tallyroll.local.up.PageTotals.State;
import dev.tallyroll.local.up.Summary.Faults;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Meeting;
import dev.tallyroll.settings.SettingsFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.TypeConversionException;

/** The program behind {@code deploy/local/up}. Used by one thread. */
@Command(
    name = "deploy/local/up",
    description = {
      "Runs Tallyroll on this machine: the official Firestore and Pub/Sub emulators, both functions"
          + " in the official invoker, traffic, and a page on which to watch every total, also"
          + " yours, and to switch faults on.",
      ""
    },
    footer = {
      "",
      "Which totals there are is in the file of --totals, and deploy/local/check checks it. The"
          + " other settings of the functions (NAME, WORKERS, ...) are taken from the environment,"
          + " then from the file of --settings; see functions/README.md."
          + " When ready, it prints a line that starts with \"ready: FIRESTORE_EMULATOR_HOST=\", one"
          + " to paste into another terminal, one to put into a page, the rules, and the address of"
          + " its own page; then, every five seconds, one line on the totals. Ctrl-C ends the"
          + " traffic, waits until every total is right, and prints a summary; a second one"
          + " ends at once.",
      "",
      "Examples:",
      "  deploy/local/up                                  watch the demo",
      "  deploy/local/up --traffic none --seconds 60      watch your own counters for a minute",
      "  deploy/local/up --faults --seconds 120           watch it survive",
      "  deploy/local/up --import DATA --export NEW       with your own data, and keep the changes",
      "  deploy/local/up --attach 127.0.0.1:8080          with an emulator that runs already",
      "  deploy/local/up --fold                           in the place of Firebase's extension",
      "  deploy/local/up --totals totals.json             with the totals of your app",
      "  deploy/local/up --settings my.env                with the settings of a deployment"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all totals are right",
      "1:a total is wrong, or all counters or shards are where the settings do not look, or with"
          + " --faults for 60 seconds or more, a kind of fault never happened",
      "2:bad options",
      "3:could not start",
      "130:interrupted before it was ready, or twice",
      "143:terminated"
    })
public final class Up implements Callable<Integer> {
  private static final Path HOME = Path.of(System.getProperty("tallyroll.home", "."));
  private static final Path TOTALS = Path.of("totals.json");
  private static final List<String> NAMES = List.of("likes", "votes", "views");
  private static final List<String> POSTS = List.of("first", "second", "third");

  private static final int SHARDS = 20;
  private static final int SEED = 1;

  /** A crash of RollUp is over within a minute; this leaves time to settle after that. */
  private static final Duration SETTLED_WITHIN = Duration.ofSeconds(90);

  /** A counter whose total is held keeps its lease for two HOLDs after a last one. */
  private static final int LEASE_IN_HOLDS = 3;

  /** After so long without a lease and without an event in flight, no total will change. */
  private static final Duration STILL = Duration.ofSeconds(5);

  /** The exit status that shells give to SIGINT. */
  private static final int INTERRUPTED = 130;

  private static final Duration LINE_EACH = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 100;

  /** Ten years stand for "until it is ended". */
  private static final Duration UNTIL_ENDED = Duration.ofDays(3_650);

  private final PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
  private final PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);

  @Mixin private final UpOptions options = new UpOptions();

  private volatile boolean ready;

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Up(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    options.validate();
    Map<String, String> environment = environment();
    Served settings = refusing(() -> Served.by(environment));
    Invocation.check(
        !options.faults || settings.hasTrigger(),
        "--faults",
        "a trigger to disturb",
        "\"events\": false");
    UpOptions.Rules rules =
        options.rules(settings.isStrict(), !settings.rules(Optional.empty()).isEmpty());
    Optional<SecurityRules> read = read(rules, settings);
    LocalCloud.requireFree(options.pagePort, "the page");
    CountDownLatch end = endOfInput(System.in);
    hint(environment);
    err.println("starting the emulators and the functions");
    try (LocalCloud cloud = start(environment, read)) {
      Rights rights =
          rules.rights(
              cloud.database(), Optional.of(forbidden(settings)).filter(cloud::isOpenToAll));
      Firestore firestore = cloud.openFirestore();
      List<List<DemoCounter>> demo = options.traffic() > 0 ? demo(firestore, settings) : List.of();
      List<String> pages =
          demo.stream()
              .flatMap(List::stream)
              .map(counter -> counter.source.name().split(" ", 2)[0])
              .toList();
      var all = new PageTotals(firestore, settings, pages, InstantSource.system());
      try (Traffic traffic = Traffic.falling(demo, options.traffic());
          Controls controls = new Controls(cloud, settings, traffic, rights);
          PageServer page = new PageServer(options.pagePort, controls)) {
        if (options.importFrom.isPresent()) {
          cloud.sweep(); // imported shards bring no events
        }
        Supplier<Boolean> export = Suppliers.memoize(() -> export(cloud));
        cloud.beforeClose(
            () -> {
              var unused = export.get();
            });
        ready(cloud, rights.words(), page);
        int status = watchToTheEnd(cloud, settings, all, traffic, controls, end);
        var unused = export.get();
        return status;
      }
    }
  }

  /** Tells what a person may not expect. */
  private void hint(Map<String, String> environment) {
    if (options.isUsualPortTaken(LocalCloud::isFree)) {
      err.printf(
          "port %d is taken, perhaps by another up: Firestore gets another port, which your page must name%n",
          UpOptions.FIRESTORE_PORT);
    }
    boolean hasTotals = environment.containsKey("TOTALS") || options.fold;
    if (!hasTotals && Files.exists(TOTALS)) {
      err.println("there is a totals.json in this folder; to run it: --totals totals.json");
    }
  }

  /** Returns whether it was wanted. */
  private boolean export(LocalCloud cloud) {
    options.exportTo.ifPresent(cloud::export);
    return options.exportTo.isPresent();
  }

  /** The text of the rules, and of files with further ones. */
  private static Optional<SecurityRules> read(UpOptions.Rules rules, Served settings) {
    if (rules.printed()) {
      List<String> printed = refusing(() -> settings.rules(rules.kind()));
      Invocation.check(!printed.isEmpty(), "--rules", "an entry with \"rules\"", "none");
      return Optional.of(SecurityRules.of(printed, rules.files()));
    }
    return rules.files().isEmpty()
        ? Optional.empty()
        : Optional.of(SecurityRules.of(rules.files()));
  }

  /** A document that is not there, and that no client should write without a sign-in. */
  private static String forbidden(Served settings) {
    String id = "tried-by-up";
    return settings
        .fold()
        .map(FoldSettings::layout)
        .map(layout -> layout.documents().get(0).with(id) + "/" + layout.shards() + "/" + id)
        .orElseGet(() -> demo(settings.entries().get(0), id).rollup());
  }

  /** The variables that are settings, and others. */
  private Map<String, String> environment() {
    Map<String, String> environment =
        new HashMap<>(Invocation.settings(SettingsFile.shell(), options.settings, options.totals));
    if (options.fold) {
      environment.putIfAbsent("FOLD", "PT1S");
      environment.putIfAbsent("FOLD_DOCUMENTS", "pages/{page}");
    }
    return environment;
  }

  /** What is made of the settings, if they are not refused. */
  private static <T> T refusing(Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException malformed) {
      throw new TypeConversionException(String.valueOf(malformed.getMessage()));
    }
  }

  private LocalCloud start(Map<String, String> environment, Optional<SecurityRules> rules)
      throws IOException {
    // With faults, warnings and errors of the functions are expected.
    Consumer<String> log = options.faults ? logFile()::println : err::println;
    return LocalCloud.start(
        new LocalCloudOptions()
            .project(options.project())
            .firestorePort(options.firestorePort(LocalCloud::isFree))
            .host(options.host)
            .data(options.metadata())
            .attached(options.attached())
            .rules(rules)
            .settings(LocalCloudOptions.settingsIn(environment))
            .instances(options.faults ? 2 : 1)
            .log(log));
  }

  private static PrintStream logFile() throws IOException {
    Path file = HOME.resolve("deploy/local/target/faults.log");
    return new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
  }

  /**
   * A latch that opens when the input ends: so the script passes on the first Ctrl-C. If the cloud
   * is not ready then, the program ends at once.
   */
  private CountDownLatch endOfInput(InputStream input) {
    CountDownLatch ended = new CountDownLatch(1);
    if (Boolean.getBoolean("tallyroll.ends-with-input")) {
      Thread reader =
          new Thread(
              () -> {
                try {
                  input.transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                  // A broken pipe means the same as a closed one.
                } finally {
                  ended.countDown();
                  if (!ready) {
                    System.exit(INTERRUPTED);
                  }
                }
              },
              "end-of-input");
      reader.setDaemon(true);
      reader.start();
    }
    return ended;
  }

  /** For each entry the totals that the demo's users change; with FOLD pages' fields. */
  private List<List<DemoCounter>> demo(Firestore firestore, Served settings)
      throws ExecutionException, InterruptedException {
    List<List<DemoCounter>> demo = new ArrayList<>();
    if (settings.fold().isPresent()) {
      List<DemoCounter> pages = new ArrayList<>();
      for (String name : POSTS) {
        pages.add(page(firestore, settings.fold().get(), name));
      }
      demo.add(pages);
    }
    Set<String> made = new HashSet<>();
    for (Entry entry : settings.entries()) {
      Optional<Entry> writer =
          settings.entries().stream().filter(each -> Meeting.isSummed(each, entry)).findFirst();
      if (writer.isPresent()) {
        err.printf(
            "traffic: the demo changes \"%s\" by way of \"%s\", whose totals it sums%n",
            entry, writer.get());
        continue;
      }
      List<DemoCounter> counters = new ArrayList<>();
      try {
        for (String name : isOfCounters(entry) ? NAMES : POSTS) {
          CounterId counter = demo(entry, name);
          // Of entries that sum the same documents, the first has them written.
          if (made.add(counter.shards() + counter.conditions())) {
            counters.add(demoCounter(firestore, settings, counter));
          }
        }
      } catch (IllegalArgumentException | ExecutionException refused) {
        err.printf("traffic: the demo cannot change \"%s\": %s%n", entry, refused.getMessage());
      }
      if (!counters.isEmpty()) {
        demo.add(counters);
      }
    }
    return demo;
  }

  private static boolean isOfCounters(Entry entry) {
    return entry.layout().countersCollection().equals("counters");
  }

  private static DemoCounter page(Firestore firestore, FoldSettings fold, String name)
      throws ExecutionException, InterruptedException {
    DocumentReference page = firestore.document(fold.layout().documents().get(0).with(name));
    title(page);
    FieldName field = FoldedPage.fields(fold).findFirst().orElseThrow();
    return new DemoCounter(new FoldedPage(page, field, fold.layout().shards(), SHARDS));
  }

  private static DemoCounter demoCounter(Firestore firestore, Served settings, CounterId counter)
      throws ExecutionException, InterruptedException {
    Entry entry = counter.entry();
    Counters ours = DemoCounter.counters(firestore, entry);
    String name = settings.name(counter);
    if (settings.documents(entry).isEmpty()) {
      DemoCounter made = DemoCounter.create(name, ours.counter(counter.path()), SHARDS);
      if (!isOfCounters(entry)) {
        title(firestore.document(counter.document()));
      }
      return made;
    }
    title(firestore.document(counter.document()));
    title(firestore.collection(counter.shards()).getParent());
    return new DemoCounter(
        new PeoplesDocuments(
            name,
            ours.reader(counter.path()),
            firestore.collection(counter.shards()),
            settings.written(entry),
            counter.conditions()));
  }

  /** Makes a document, and those above it, as an app has them: with a title. */
  private static void title(@Nullable DocumentReference document)
      throws ExecutionException, InterruptedException {
    for (var each = document; each != null; each = each.getParent().getParent()) {
      String title =
          each.getId().substring(0, 1).toUpperCase(Locale.ROOT) + each.getId().substring(1);
      each.set(Map.of("title", title), SetOptions.merge()).get();
    }
  }

  /** A counter of the demo, in an entry's place. */
  private static CounterId demo(Entry entry, String id) {
    if (entry.layout().only().isPresent()) {
      return entry.counter(entry.layout().only().get());
    }
    String place = entry.layout().counters();
    int last = place.lastIndexOf('/');
    boolean nested = last > 0 && !place.startsWith("{parent=**}");
    String parent = nested ? place.substring(0, last).replaceAll("[{][^}]*[}]", "demo") : "";
    return entry.counter(new CounterPath(parent, id));
  }

  private void ready(LocalCloud cloud, String rules, PageServer page) {
    ready = true;
    String addresses = Joiner.on(' ').withKeyValueSeparator('=').join(cloud.addresses());
    HostAndPort firestore = HostAndPort.fromString(cloud.firestoreHost());
    out.println("ready: " + addresses);
    // Without the last one, Google's client for Node warns that there is no server of the cloud's.
    out.println(
        "paste this into your terminal:\nexport " + addresses + " METADATA_SERVER_DETECTION=none");
    out.printf(
        "put this into your page:%nconnectFirestoreEmulator(db, '%s', %d, {mockUserToken: {user_id:"
            + " 'me'}});%n",
        firestore.getHost(), firestore.getPort());
    out.println("rules: " + rules);
    out.println("page: " + page.address());
    out.flush();
  }

  private int watchToTheEnd(
      LocalCloud cloud,
      Served settings,
      PageTotals all,
      Traffic traffic,
      Controls controls,
      CountDownLatch end)
      throws InterruptedException {
    long started = System.nanoTime();
    @Nullable CloudFaults faults = options.faults ? CloudFaults.start(cloud, SEED) : null;
    watch(all, traffic, controls, end);
    Duration lasted = Duration.ofNanos(System.nanoTime() - started);
    traffic.close();
    Optional<Faults> done =
        faults == null ? Optional.empty() : Optional.of(repair(cloud, faults, lasted));
    Duration most = settledWithin(settings);
    err.println("waiting until every total is right, at most %d s".formatted(most.toSeconds()));
    List<State> states = settle(cloud, all, traffic, most);
    Summary summary = Summary.of(states, all.advice(""), traffic, cloud.operations(), done);
    out.print(summary);
    out.flush();
    return summary.isRight() ? Invocation.RIGHT : Invocation.WRONG;
  }

  private Faults repair(LocalCloud cloud, CloudFaults faults, Duration lasted)
      throws InterruptedException {
    err.println("repairing and sweeping, for some minutes at most");
    faults.stop();
    List<Drift> drift = CloudFaults.sweep(cloud);
    return new Faults(lasted, faults.counts(), cloud.failedMessages(), drift);
  }

  /** Prints a line now and then until the time is over, or until {@code asked} opens. */
  private void watch(PageTotals all, Traffic traffic, Controls controls, CountDownLatch asked)
      throws InterruptedException {
    Duration duration = options.seconds.map(Duration::ofSeconds).orElse(UNTIL_ENDED);
    long start = System.nanoTime();
    long end = start + duration.toNanos();
    String advised = "";
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      if (asked.await(Math.min(left, LINE_EACH.toNanos()), TimeUnit.NANOSECONDS)) {
        err.println();
        return;
      }
      List<State> counters = all.states();
      String advice = all.advice(options.nothingFound());
      controls.advise(advice);
      if (!advice.equals(advised) && !advice.isEmpty()) {
        err.println(advice);
        advised = advice;
      }
      Duration sinceStart = Duration.ofNanos(System.nanoTime() - start);
      out.println(Summary.line(sinceStart, traffic.acknowledged(), counters));
      out.flush();
    }
  }

  private static Duration settledWithin(Served settings) {
    return SETTLED_WITHIN.plus(settings.longestHold().multipliedBy(LEASE_IN_HOLDS));
  }

  /** Waits until all totals are settled, or cannot change any more; returns them. */
  private static List<State> settle(
      LocalCloud cloud, PageTotals all, Traffic traffic, Duration most)
      throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    long stillSince = System.nanoTime();
    boolean asked = false;
    List<State> states = all.readAll();
    while (System.nanoTime() - end < 0) {
      boolean counted = traffic.isAnswered() && cloud.quiet();
      if (counted && !asked) {
        cloud.tick(); // the leases of new counters would wait for the next full minute
        asked = true;
      }
      boolean still = counted && states.stream().noneMatch(State::awaited);
      stillSince = still ? stillSince : System.nanoTime();
      boolean right = states.stream().allMatch(State::isSettled);
      if (still && (right || System.nanoTime() - stillSince > STILL.toNanos())) {
        break;
      }
      Thread.sleep(PAUSE_MILLIS);
      states = all.readAll();
    }
    return states;
  }
}
