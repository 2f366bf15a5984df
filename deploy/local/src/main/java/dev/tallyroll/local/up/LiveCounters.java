package dev.tallyroll.local.up;

import com.google.api.core.ApiFutures;
import com.google.api.core.SettableApiFuture;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.Firestore;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import com.google.protobuf.Timestamp;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.functions.Clients;
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
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Measures how many live counters one worker can serve, and how many the same calls on one
 * connection could. Firestore is a stub that answers each call after 40 ms, and takes 100 calls at
 * once on a connection. Used by one thread.
 */
final class LiveCounters {
  static final String HEADING =
      "row        roll-ups/s  a CPU second  gap p50   p99   max  | the client alone:"
          + " roll-ups/s  a CPU second  gap p99";

  private static final Duration ANSWER_AFTER = Duration.ofMillis(40);
  static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final String PROJECT = "demo-bench";
  private static final String DOCUMENTS = "projects/" + PROJECT + "/databases/(default)/documents/";

  private LiveCounters() {}

  /** The work in a span of time: a gap for each roll-up written, and CPU time. */
  private record Done(List<Long> gaps, double seconds, double cpuSeconds) {
    double perSecond() {
      return gaps.size() / seconds;
    }

    double perCpuSecond() {
      return gaps.size() / cpuSeconds;
    }
  }

  /** Measures the worker, then the connection alone. Both warm up first. */
  static String measure(String name, int counters, Duration lasts)
      throws IOException, InterruptedException {
    Done roller = roller(counters, lasts);
    Done client = clientAlone(counters, lasts);
    Lags gaps = Lags.of(roller.gaps());
    return String.format(
        Locale.ROOT,
        "%-10s %10.0f  %12.0f  %7.2f %5.2f %5.2f  | %29.0f  %12.0f  %7.2f",
        name,
        roller.perSecond(),
        roller.perCpuSecond(),
        gaps.p50(),
        gaps.p99(),
        gaps.max(),
        client.perSecond(),
        client.perCpuSecond(),
        Lags.of(client.gaps()).p99());
  }

  private static Done roller(int counters, Duration lasts)
      throws IOException, InterruptedException {
    try (var stub = new StubFirestore(ANSWER_AFTER, live(counters));
        var roller = new Roller(stub, WARM_UP.plus(lasts).plus(TICK.multipliedBy(2)))) {
      Done done = done(stub, lasts);
      if (!roller.ended.join().equals("DEADLINE") || !roller.complaints.isEmpty()) {
        throw new LocalCloudException(
            "expected the run to last to its deadline without a failure, found "
                + roller.ended.join()
                + ", "
                + roller.complaints);
      }
      return done;
    }
  }

  /** A run of the worker, connected as the function is. The caller closes it. */
  static final class Roller implements AutoCloseable {
    final CompletableFuture<String> ended = new CompletableFuture<>();

    /** The warnings and errors of the run. */
    final List<String> complaints = new CopyOnWriteArrayList<>();

    private final ThreadEventLoop loop = new ThreadEventLoop("roller", InstantSource.system());
    private final Firestore firestore;

    Roller(StubFirestore stub, Duration lasts) {
      firestore = client(stub, Clients.ROLLERS_CONNECTIONS);
      Calls calls = new Calls(loop, Clients.ROLLERS_CONNECTIONS * Clients.CALLS_PER_CONNECTION);
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

  private static Done done(StubFirestore stub, Duration lasts) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(WARM_UP.toNanos());
    stub.measureAfresh();
    long started = System.nanoTime();
    long cpu = StubFirestore.cpuOfClient();
    TimeUnit.NANOSECONDS.sleep(lasts.toNanos());
    return new Done(
        stub.gaps(),
        (System.nanoTime() - started) / 1e9,
        (StubFirestore.cpuOfClient() - cpu) / 1e9);
  }

  private static Done clientAlone(int counters, Duration lasts)
      throws IOException, InterruptedException {
    var clock = Executors.newSingleThreadScheduledExecutor();
    try (var stub = new StubFirestore(ANSWER_AFTER, List.of())) {
      Firestore firestore = client(stub, /* connections= */ 1);
      var unused =
          clock.scheduleAtFixedRate(
              () -> IntStream.range(0, counters).forEach(i -> rollUp(firestore, i)),
              0,
              TICK.toNanos(),
              TimeUnit.NANOSECONDS);
      Done done = done(stub, lasts);
      clock.shutdownNow();
      firestore.shutdown();
      return done;
    }
  }

  private static void rollUp(Firestore firestore, int counter) {
    CounterPath path = path(counter);
    AggregateField sum = AggregateField.sum("count");
    var summed =
        firestore
            .collection(Layout.DEFAULT.shardsCollection(path))
            .aggregate(sum, AggregateField.count())
            .get();
    var unused =
        ApiFutures.transformAsync(
            summed,
            answer -> {
              Object total = answer.get(sum);
              return total == null
                  ? SettableApiFuture.create()
                  : firestore
                      .document(Layout.DEFAULT.rollupDocument(path))
                      .update(
                          Map.of(
                              RollupFields.COUNT,
                              total,
                              RollupFields.SHARDS,
                              StubFirestore.SHARDS,
                              RollupFields.AS_OF,
                              answer.getReadTime()));
            },
            MoreExecutors.directExecutor());
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

  /** A client as the functions make it. */
  private static Firestore client(StubFirestore stub, int connections) {
    var environment =
        Map.of("TALLYROLL_FIRESTORE", stub.address(), "GOOGLE_CLOUD_PROJECT", PROJECT);
    return Clients.firestore("(default)", connections, environment::get);
  }
}
