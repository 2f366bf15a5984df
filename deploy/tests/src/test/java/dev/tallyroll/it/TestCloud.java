package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A local cloud with the real functions, and a client of its database. Thread-safe.
 *
 * @param changed the paths of the documents that events were about
 */
public record TestCloud(
    Site site, LocalCloud local, Firestore firestore, Set<String> changed, PrintStream log)
    implements AutoCloseable {
  private static final Path LOGS = Path.of("target", "it-logs");

  private static final int LINES_SHOWN = 40;

  /** The collection of {@link #awaitEvents}. The handler drops the events of its documents. */
  private static final String MARKS = "marks";

  /** For functions whose code runs in the tests' process: they wait for a short time only. */
  private static final Timing QUICK_TIMING =
      new Timing(Duration.ofMillis(500), Duration.ofMillis(1_500), Duration.ofSeconds(2), 5);

  static final RunSettings QUICK =
      new RunSettings(
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          /* workers= */ 1,
          Duration.ofSeconds(70),
          Duration.ofMillis(500),
          Duration.ofMinutes(1),
          /* sweepCounters= */ 10_000);

  /**
   * @param others whose emulators it has; empty for emulators of its own
   */
  static TestCloud start(Site site, Optional<LocalCloud> others) {
    // Many tests cause warnings. A file keeps them, to explain a failure of a test.
    var log = open(site);
    var shards = site.layout().trigger();
    var changed = ConcurrentHashMap.<String>newKeySet();
    var options =
        new LocalCloudOptions()
            .settings(site.settings())
            .invokerVersion(site.invoker())
            .triggerPatterns(shards, MARKS + "/{mark}")
            .events(event -> changed.add(event.attribute("document")))
            .schedule(site.schedule())
            .log(log::println);
    others.ifPresent(cloud -> options.project("demo-posts").beside(cloud));
    var local = LocalCloud.start(options);
    return new TestCloud(site, local, local.openFirestore(), changed, log);
  }

  /** Makes a JVM's first calls, which on a busy machine take longer than the functions allow. */
  TestCloud warmedUp() throws Exception {
    var counter = counter();
    get(counter.document().set(Map.of())); // one that shows figures has a document
    counter.increment(0, 1);
    counter.awaitTotal(1L);
    tickUntil("a first total to settle", () -> counter.isSettled(1L));
    return this;
  }

  private static PrintStream open(Site site) {
    try {
      Files.createDirectories(LOGS);
      return new PrintStream(
          Files.newOutputStream(LOGS.resolve(site + ".log")), true, StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The end of the site's log, which a report of a failed start shows. */
  String lastLogged() {
    try (var lines = Files.lines(LOGS.resolve(site + ".log"))) {
      var all = lines.toList();
      return String.join("\n", all.subList(Math.max(0, all.size() - LINES_SHOWN), all.size()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  public Layout layout() {
    return site.layout();
  }

  /** A layout that no trigger matches, for tests of the stores alone. */
  public static Layout unwatchedLayout() {
    var suffix = "-" + UUID.randomUUID();
    return new Layout(
        "{parent=**}/counters%s/{counter}/shards%s".formatted(suffix, suffix),
        "rollups" + suffix,
        "count");
  }

  /** An entry of a layout whose counters are live for a short time only. */
  static Entry quick(Layout layout) {
    return quick(layout, SumMode.AGGREGATE, Map.of());
  }

  static Entry quick(Layout layout, SumMode sum, Map<Figure, FieldName> fields) {
    return new Entry("tests", layout, fields, sum, /* hasEvents= */ true, QUICK_TIMING);
  }

  /** The same without events. */
  static Entry polled(Layout layout) {
    return new Entry(
        "polled", layout, Map.of(), SumMode.AGGREGATE, /* hasEvents= */ false, QUICK_TIMING);
  }

  /** A name for functions whose code runs in the tests' process. */
  static String newDeployment() {
    return "tests-" + UUID.randomUUID();
  }

  /** A new counter at the root, for one test. */
  public TestCounter counter() {
    return counter("");
  }

  TestCounter counter(String parent) {
    return counter(new CounterPath(parent, UUID.randomUUID().toString()));
  }

  TestCounter counter(CounterPath path) {
    return new TestCounter(firestore, layout(), path, local::tick);
  }

  List<TestCounter> counters(int number) {
    return Stream.generate(this::counter).limit(number).toList();
  }

  /** The run that holds the worker; empty if there is none, or if its claim has ended. */
  String holder(int worker) throws Exception {
    var run =
        get(
            firestore
                .document(Layout.runDocument(site.deployment(), Integer.toString(worker)))
                .get());
    var until = Objects.requireNonNullElse(run.getTimestamp("until"), Timestamp.MIN_VALUE);
    boolean isAlive = until.compareTo(Objects.requireNonNull(run.getReadTime())) > 0;
    return isAlive ? Objects.requireNonNullElse(run.getString("holder"), "") : "";
  }

  /** Waits until no event is in flight and no run is alive, so that only the test causes work. */
  void awaitIdle() throws Exception {
    await("no event and no run to be under way")
        .until(() -> local.quiet() && local.runsUnderway() == 0 && holder(0).isEmpty());
  }

  /** Lets runs settle the counters of earlier tests, then waits as {@link #awaitIdle}. */
  void settleAll() throws Exception {
    awaitEvents();
    await("no event to be under way").until(local::quiet);
    tickUntil("no counter to be live", () -> live().isEmpty());
    // Messages come in order: with this one, the wake-ups of earlier events have come.
    long before = local.rollUp().operations().reads();
    local.tick();
    await("a run").until(() -> local.rollUp().operations().reads() > before);
    awaitIdle();
  }

  /**
   * Waits until all writes so far have had their events. On a busy machine the emulator may be
   * seconds late, but its events come in order.
   */
  void awaitEvents() throws Exception {
    var mark = firestore.collection(MARKS).document();
    get(mark.set(Map.of()));
    await("the event of a mark").until(() -> changed.contains(mark.getPath()));
  }

  /** Asks for a run, and for another after its end, until the condition holds. */
  public void tickUntil(String expected, Callable<Boolean> isSo) throws Exception {
    await(expected)
        .until(
            () -> {
              if (local.runsUnderway() == 0) {
                local.tick();
              }
              return isSo.call();
            });
  }

  private List<QueryDocumentSnapshot> live() throws Exception {
    return get(firestore.collection(Layout.liveList(site.deployment())).get()).getDocuments();
  }

  /** The errors about this counter in the logs of both functions. */
  List<String> errorsAbout(TestCounter counter) {
    var named = "\"counter\":\"%s\"".formatted(layout().counterDocument(counter.path()));
    return Stream.of(local.onShardWritten(), local.rollUp())
        .flatMap(function -> function.lastLines().stream())
        .filter(line -> line.contains("\"ERROR\"") && line.contains(named))
        .toList();
  }

  @Override
  public void close() {
    local.onShardWritten().lastLines().forEach(log::println);
    local.rollUp().lastLines().forEach(log::println);
    firestore.shutdown();
    local.close();
    log.close();
  }
}
