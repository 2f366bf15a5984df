package dev.tallyroll.local;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.local.FunctionServer.Function;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The program behind {@code deploy/local/cold-start}: measures how long a function takes from the
 * start of its JVM until it has handled its first event, for one or several jars in turns. Used by
 * one thread.
 */
public final class ColdStart {
  private static final int RUNS = 7;
  private static final String PROJECT = "demo-cold-start";
  private static final int WRITE_SECONDS = 30;

  private final LocalCloud cloud;
  private final Firestore firestore;
  private final HttpClient http = Loopback.client();
  private final Checkout checkout = Checkout.fromSystemProperty();
  private final Map<String, List<Run>> runs = new LinkedHashMap<>();

  /** What a function is called for first. */
  private enum First {
    QUIET_COUNTER("dev.tallyroll.functions.OnShardWritten"),
    NEW_COUNTER("dev.tallyroll.functions.OnShardWritten"),
    IDLE_RUN("dev.tallyroll.functions.RollUp");

    private final String target;

    First(String target) {
      this.target = target;
    }
  }

  /** From the start of the JVM until it served, until the event was handled; and CPU time. */
  private record Run(Duration served, Duration handled, Duration cpu) {}

  private ColdStart(LocalCloud cloud, Firestore firestore) {
    this.cloud = cloud;
    this.firestore = firestore;
  }

  /** Takes the jars to measure; without any, the one that is deployed. */
  public static void main(String[] jars) throws Exception {
    var options =
        LocalCloudOptions.builder()
            .project(PROJECT)
            .settings(Map.of())
            .triggerPatterns("nothing/{of_interest}")
            .unscheduled()
            .build();
    try (var cloud = LocalCloud.start(options)) {
      var firestore = cloud.openFirestore();
      var measured = new ColdStart(cloud, firestore);
      measured.measure(jars.length > 0 ? List.of(jars) : List.of(measured.deployed()));
      measured.print(System.out);
      firestore.shutdown();
    }
  }

  private String deployed() {
    return checkout.functionJar().toString();
  }

  /** In turns, so that whatever else the machine does falls on all alike. */
  private void measure(List<String> jars) throws Exception {
    for (int run = 0; run < RUNS; run++) {
      for (var first : First.values()) {
        for (var jar : jars) {
          runs.computeIfAbsent(first + " " + jar, row -> new ArrayList<>()).add(start(jar, first));
        }
      }
    }
  }

  private Run start(String jar, First first) throws Exception {
    var counter = "cold-" + UUID.randomUUID();
    var event = first == First.IDLE_RUN ? FirstEvent.run() : written(counter, first);
    long started = System.nanoTime();
    try (var server =
        FunctionServer.launch(function(jar, first), environment(), Loopback.freePorts(1).get(0))) {
      server.awaitReady();
      var served = since(started);
      deliver(event, server);
      return new Run(served, since(started), cpu(server));
    }
  }

  private Function function(String jar, First first) {
    Path invoker = checkout.invokerJar(LocalCloudOptions.PRODUCTION_INVOKER);
    return new Function("cold-start", invoker, jar, first.target, checkout.functionJvmOptions());
  }

  private Map<String, String> environment() {
    var environment = ChildProcess.inherited(System.getenv());
    environment.putAll(cloud.addresses());
    return environment;
  }

  private Event written(String counter, First first) throws Exception {
    write("counters/" + counter + "/shards/0", Map.of("count", 1));
    if (first == First.QUIET_COUNTER) {
      write(
          "rollups/" + counter,
          Map.of("count", 0, "shards", 1, "as_of", Timestamp.ofTimeSecondsAndNanos(1, 0)));
    }
    return FirstEvent.written(cloud.project(), "counters/" + counter + "/shards/0");
  }

  private void write(String document, Map<String, Object> fields)
      throws ExecutionException, InterruptedException, TimeoutException {
    firestore.document(document).set(fields).get(WRITE_SECONDS, TimeUnit.SECONDS);
  }

  private void deliver(Event event, FunctionServer server)
      throws IOException, InterruptedException {
    var answer = http.send(event.request(server.address()), BodyHandlers.discarding());
    if (answer.statusCode() / 100 != 2) {
      throw new LocalCloudException(
          "expected the first event to be handled, found status %d:%n%s"
              .formatted(answer.statusCode(), String.join("\n", server.lastLines())));
    }
  }

  private static Duration cpu(FunctionServer server) {
    return ProcessHandle.of(server.pid())
        .flatMap(process -> process.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  private static Duration since(long started) {
    return Duration.ofNanos(System.nanoTime() - started);
  }

  private void print(PrintStream out) {
    out.println(
        "seconds until served, until handled, of CPU; medians of %d runs, then the least"
            .formatted(RUNS));
    runs.forEach((row, all) -> out.println(columns(all, RUNS / 2) + columns(all, 0) + "  " + row));
  }

  /** Of each column, what comes at that place when it is sorted. */
  private static String columns(List<Run> all, int place) {
    return Stream.<ToLongFunction<Run>>of(
            run -> run.served().toMillis(),
            run -> run.handled().toMillis(),
            run -> run.cpu().toMillis())
        .map(column -> all.stream().mapToLong(column).sorted().toArray()[place])
        .map(millis -> String.format(Locale.ROOT, "%7.2f", millis / 1_000.0))
        .collect(Collectors.joining());
  }
}
