package dev.tallyroll.local;

import static dev.tallyroll.local.Answers.get;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The program behind {@code deploy/local/cold-start}: measures the time from the start of a
 * function's JVM until its first event is handled, for one or several jars in turns. Filled in by
 * picocli; used by one thread.
 */
@Command(
    name = "deploy/local/cold-start",
    description = {
      "Measures how long a function takes from the start of its JVM until it listens, and until it"
          + " has handled its first event, and its CPU time until then. Takes some minutes, on an"
          + " idle machine.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  deploy/local/cold-start                     the deployed jar",
      "  deploy/local/cold-start old.jar new.jar     two, in turns"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "2:bad options", "3:could not start"})
final class ColdStart implements Callable<Integer> {
  private static final String TARGET = "dev.tallyroll.functions.OnShardWritten";

  @Parameters(
      paramLabel = "JAR",
      arity = "0..*",
      description = "the jars to measure (default: the deployed one)")
  private List<Path> jars = new ArrayList<>();

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "how often to start each jar (default ${DEFAULT-VALUE})")
  private int times = 7;

  private final Map<Path, List<Run>> runs = new LinkedHashMap<>();

  /** The times from the JVM's start until it listened and until the event was handled; CPU time. */
  private record Run(Duration served, Duration handled, Duration cpu) {}

  /** Measures, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new ColdStart(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    Invocation.check("--runs", times, 1, 1_000);
    for (var jar : jars) {
      Invocation.check(Files.isRegularFile(jar), "JAR", "a file", jar);
    }
    var checkout = Checkout.fromSystemProperty();
    var measured = jars.isEmpty() ? List.of(checkout.functionJar()) : jars;
    var options =
        new LocalCloudOptions()
            .settings(Map.of())
            .triggerPatterns("nothing/{of_interest}")
            .schedule(Duration.ZERO);
    try (var cloud = LocalCloud.start(options)) {
      var firestore = cloud.openFirestore();
      // The jars take turns, so that other work of the machine slows all of them alike.
      for (int run = 0; run < times; run++) {
        for (var jar : measured) {
          runs.computeIfAbsent(jar, row -> new ArrayList<>())
              .add(start(cloud, checkout, jar, written(firestore)));
        }
      }
      firestore.shutdown();
    }
    print(System.out);
    return Invocation.RIGHT;
  }

  private static Run start(LocalCloud cloud, Checkout checkout, Path jar, Event event)
      throws IOException, InterruptedException {
    var function =
        checkout
            .function("cold-start", TARGET, LocalCloudOptions.PRODUCTION_INVOKER)
            .of(jar.toString());
    var environment = ChildProcess.inherited(System.getenv());
    environment.putAll(cloud.addresses());
    long started = System.nanoTime();
    try (var server = new FunctionServer(function, environment, Loopback.freePorts(1).get(0))) {
      server.awaitReady();
      var served = since(started);
      deliver(event, server);
      return new Run(served, since(started), cpu(server));
    }
  }

  /** The event that production would send for a write of a quiet counter's shard now. */
  private static Event written(Firestore firestore) throws Exception {
    var counter = "counters/cold-" + UUID.randomUUID();
    var shard = counter + "/shards/0";
    get(firestore.document(shard).set(Map.of("count", 1)));
    var longAgo = Timestamp.ofTimeSecondsAndNanos(1, 0);
    get(
        firestore
            .document(counter.replace("counters/", "rollups/"))
            .set(Map.of("counter", counter, "count", 0, "shards", 1, "as_of", longAgo)));
    return DirectEvents.shardEvent(DirectEvents.document("(default)", shard, Instant.now()));
  }

  private static void deliver(Event event, FunctionServer server)
      throws IOException, InterruptedException {
    int status = DirectEvents.send(event, server);
    if (status / 100 != 2) {
      throw new LocalCloudException(
          "expected the first event to be handled, found status %d:%n%s"
              .formatted(status, String.join("\n", server.lastLines())));
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
            .formatted(times));
    runs.forEach((row, all) -> out.println(columns(all, times / 2) + columns(all, 0) + "  " + row));
  }

  /** The value of each sorted column at this place. */
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
