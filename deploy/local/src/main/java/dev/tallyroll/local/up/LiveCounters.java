package dev.tallyroll.local.up;

import com.google.cloud.firestore.Firestore;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import com.google.protobuf.Timestamp;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.functions.GoogleClients;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.functions.ThreadEventLoop;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.store.Calls;
import dev.tallyroll.store.FirestoreStore;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Measures how one worker serves many live counters, with its connections and with one. Firestore
 * is a stub that answers each call after 40 ms, and takes 100 calls at once on a connection.
 */
final class LiveCounters {
  static final String NAME = "live-2000";
  static final String WHAT = "2,000 live counters, on a stub that answers each call after 40 ms";

  private static final int COUNTERS = 2_000;
  private static final Duration ANSWER_AFTER = Duration.ofMillis(40);
  private static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final Duration LASTS = Duration.ofSeconds(20);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final String PROJECT = "demo-bench";
  private static final String DOCUMENTS = "projects/" + PROJECT + "/databases/(default)/documents/";

  private LiveCounters() {}

  /**
   * Prints a line for a worker that has just started, one for a worker with a single connection,
   * and one for a worker with the function's connections in a JVM that is warm by then.
   */
  static void measure(PrintStream out) throws IOException, InterruptedException {
    measure("just started", GoogleClients.ROLLUP_CONNECTIONS, Duration.ZERO, out);
    measure("warm", 1, WARM_UP, out);
    measure("warm", GoogleClients.ROLLUP_CONNECTIONS, WARM_UP, out);
  }

  private static void measure(String jvm, int connections, Duration warmUp, PrintStream out)
      throws IOException, InterruptedException {
    try (var stub = new StubFirestore(ANSWER_AFTER, live(COUNTERS));
        var worker = new Worker(stub, connections, warmUp.plus(LASTS).plus(TICK.multipliedBy(2)))) {
      TimeUnit.NANOSECONDS.sleep(warmUp.toNanos());
      stub.measureAfresh();
      long cpu = StubFirestore.cpuOfClient();
      TimeUnit.NANOSECONDS.sleep(LASTS.toNanos());
      List<Long> gaps = stub.gaps();
      out.printf(
          Locale.ROOT,
          "%-10s %-12s connections: %d; roll-ups a second: %.0f, a CPU second: %.0f; apart: %s%n",
          NAME,
          jvm,
          connections,
          gaps.size() * 1.0 / LASTS.toSeconds(),
          gaps.size() * 1e9 / (StubFirestore.cpuOfClient() - cpu),
          Lags.of(gaps));
      if (!worker.ended.join().equals("DEADLINE") || !worker.complaints.isEmpty()) {
        throw new LocalCloudException(
            "expected the run to last to its deadline without a failure, found "
                + worker.ended.join()
                + ", "
                + worker.complaints);
      }
    }
  }

  /** A run of the worker, connected as the function is. The caller closes it. */
  static final class Worker implements AutoCloseable {
    final CompletableFuture<String> ended = new CompletableFuture<>();

    /** The warnings and errors of the run. */
    final List<String> complaints = new CopyOnWriteArrayList<>();

    private final ThreadEventLoop loop = new ThreadEventLoop("worker", InstantSource.system());
    private final Firestore firestore;

    Worker(StubFirestore stub, int connections, Duration lasts) {
      var environment =
          Map.of("TALLYROLL_FIRESTORE", stub.address(), "GOOGLE_CLOUD_PROJECT", PROJECT);
      firestore = GoogleClients.firestore("(default)", connections, environment::get);
      Calls calls = new Calls(loop, connections * GoogleClients.CALLS_PER_CONNECTION);
      RunSettings defaults = Settings.from(unset -> null).runs();
      var store = new FirestoreStore(firestore, Layout.DEFAULT, SumMode.AGGREGATE, calls);
      Runs runs =
          new Runs(
              store,
              store.runs(),
              Optional.empty(),
              worker -> CompletableFuture.completedFuture(null),
              this::write,
              loop,
              new RunSettings(
                  defaults.timing(),
                  defaults.workers(),
                  lasts,
                  TICK,
                  defaults.sweep(),
                  defaults.sweepCounters()));
      loop.execute(
          () -> {
            var unused =
                runs.scheduled(/* worker= */ 0)
                    .whenComplete(
                        (how, failure) ->
                            ended.complete(failure == null ? how : failure.toString()));
          });
    }

    private void write(Severity severity, String message, Map<String, ?> fields) {
      if (severity != Severity.INFO) {
        complaints.add(message + " " + fields);
      }
    }

    @Override
    public void close() {
      firestore.shutdown();
      loop.close();
    }
  }

  /** This many roll-ups of live counters. */
  static List<Document> live(int counters) {
    return IntStream.range(0, counters).mapToObj(LiveCounters::rollup).toList();
  }

  private static Document rollup(int counter) {
    CounterPath path = path(counter);
    var mark = Layout.DEFAULT.counterDocument(path);
    // A little less than the length that counts as damage.
    var until =
        Timestamp.newBuilder()
            .setSeconds(Instant.now().plus(Rollup.LONGEST_LEASE).minusSeconds(60).getEpochSecond());
    Map<String, Value.Builder> fields =
        Map.of(
            RollupFields.COUNTER, Value.newBuilder().setStringValue(mark),
            RollupFields.COUNT, Value.newBuilder().setIntegerValue(0),
            RollupFields.SHARDS, Value.newBuilder().setIntegerValue(StubFirestore.SHARDS),
            RollupFields.AS_OF, Value.newBuilder().setTimestampValue(StubFirestore.now()),
            RollupFields.LIVE_UNTIL, Value.newBuilder().setTimestampValue(until));
    var rollup =
        Document.newBuilder()
            .setName(DOCUMENTS + Layout.DEFAULT.rollupDocument(path))
            .setCreateTime(StubFirestore.now())
            .setUpdateTime(StubFirestore.now());
    fields.forEach((name, value) -> rollup.putFields(name, value.build()));
    return rollup.build();
  }

  private static CounterPath path(int counter) {
    return CounterPath.of("live-" + counter);
  }
}
