package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Operations;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A local cloud with the real functions, and a client of its database. Thread-safe.
 *
 * @param changed the paths of the documents that events were about
 * @param printed all lines of the functions
 */
public record TestCloud(
    Site site,
    LocalCloud local,
    Firestore firestore,
    Set<String> changed,
    Queue<String> printed,
    PrintStream log)
    implements AutoCloseable {
  private static final Path LOGS = Path.of("target", "it-logs");

  /** The collection of {@link #awaitEvents}. The handler drops the events of its documents. */
  private static final String MARKS = "marks";

  static TestCloud start(Site site) {
    // Many tests cause warnings. A file keeps them, to explain a failure of a test.
    var log = open(site);
    var shards = LocalCloudOptions.shardPattern(site.layout().counters(), site.layout().shards());
    var changed = ConcurrentHashMap.<String>newKeySet();
    var printed = new ConcurrentLinkedQueue<String>();
    var options =
        new LocalCloudOptions()
            .printed(printed::add)
            .settings(site.settings())
            .invokerVersion(site.invoker())
            .triggerPatterns(shards, MARKS + "/{mark}")
            .events(event -> changed.add(event.attribute("document")))
            .schedule(site.schedule())
            .log(log::println);
    var local = LocalCloud.start(options);
    return new TestCloud(site, local, local.openFirestore(), changed, printed, log);
  }

  /** Makes a JVM's first calls, which on a busy machine take longer than the functions allow. */
  TestCloud warmedUp() throws Exception {
    var counter = counter();
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

  public Layout layout() {
    return site.layout();
  }

  /** A layout that no trigger matches, for tests of the stores alone. */
  public static Layout unwatchedLayout() {
    var suffix = "-" + UUID.randomUUID();
    return new Layout(
        "{parent=**}/counters" + suffix,
        "shards" + suffix,
        "rollups" + suffix,
        "runs" + suffix,
        "count");
  }

  /** A new counter at the root, for one test. */
  public Counter counter() {
    return counter("");
  }

  Counter counter(String parent) {
    return counter(new CounterPath(parent, UUID.randomUUID().toString()));
  }

  Counter counter(CounterPath path) {
    return new Counter(firestore, layout(), path, local::tick);
  }

  List<Counter> counters(int number) {
    return Stream.generate(this::counter).limit(number).toList();
  }

  /** The run that holds the worker; empty if there is none, or if its claim has ended. */
  String holder(int worker) throws Exception {
    var run = get(firestore.document(layout().runDocument(Integer.toString(worker))).get());
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
    awaitDone(local.rollUp(), local::tick, new Operations(1, 0, 0, 0));
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
    return get(firestore.collection(layout().liveList()).get()).getDocuments();
  }

  /** Does an action, and waits until an idle function has done at least these operations for it. */
  Operations awaitDone(FunctionServer function, Callable<?> action, Operations least)
      throws Exception {
    var before = function.operations();
    action.call();
    return await("at least " + least + " to be done")
        .until(
            () -> function.operations().minus(before),
            done -> done.reads() >= least.reads() && done.sums() >= least.sums());
  }

  /** All roll-ups with the times of their last writes. */
  Map<String, Timestamp> versions() throws Exception {
    return get(firestore.collectionGroup(layout().rollups()).get()).getDocuments().stream()
        .collect(
            Collectors.toMap(
                rollup -> rollup.getReference().getPath(),
                rollup -> Objects.requireNonNull(rollup.getUpdateTime())));
  }

  /** The errors about this counter in the logs of both functions. */
  List<JsonObject> errorsAbout(Counter counter) {
    return errorsAbout(layout().counterDocument(counter.path()));
  }

  /** The errors about the counter of this path, which the log names. */
  List<JsonObject> errorsAbout(String path) {
    return Stream.of(local.onShardWritten(), local.rollUp())
        .flatMap(function -> errors(function, "counter", path).stream())
        .toList();
  }

  /** The errors in which the field has that value. */
  static List<JsonObject> errors(FunctionServer function, String field, String value) {
    return function.lastLines().stream()
        .filter(line -> line.startsWith("{") && line.contains("\"ERROR\""))
        .map(JsonParser::parseString)
        .map(JsonElement::getAsJsonObject)
        .filter(line -> text(line, "severity").equals("ERROR") && text(line, field).equals(value))
        .toList();
  }

  private static String text(JsonObject line, String field) {
    var value = line.get(field);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
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
