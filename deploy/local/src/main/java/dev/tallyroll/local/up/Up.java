package dev.tallyroll.local.up;

import dev.tallyroll.functions.Settings;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.Drift;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.chaos.Chaos;
import dev.tallyroll.local.chaos.FullSweep;
import dev.tallyroll.local.console.Console;
import dev.tallyroll.local.console.LocalControls;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** The program behind {@code deploy/local/up}. */
public final class Up {
  private static final int WRONG = 1;
  private static final int BAD_OPTIONS = 2;
  private static final int NOT_STARTED = 3;

  /** As good as for ever. */
  private static final Duration UNTIL_ENDED = Duration.ofDays(3_650);

  private Up() {}

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) throws Exception {
    boolean terminal = Boolean.getBoolean("tallyroll.terminal");
    System.exit(run(List.of(arguments), terminal, System.out, System.err));
  }

  static int run(List<String> arguments, boolean terminal, PrintStream out, PrintStream err)
      throws Exception {
    if (arguments.contains("--help")) {
      out.print(UpOptions.HELP);
      return 0;
    }
    UpOptions options;
    Settings settings;
    try {
      options = UpOptions.parse(arguments);
      settings = Settings.from(System::getenv);
    } catch (IllegalArgumentException malformed) {
      err.println(malformed.getMessage() + "\nTry deploy/local/up --help");
      return BAD_OPTIONS;
    }
    PrintStream log = options.faults() ? logFile() : err;
    try (LocalCloud cloud = LocalCloud.start(cloud(options, log::println))) {
      return watch(cloud, settings, options, new Table(out, terminal), out);
    } catch (LocalCloudException failure) {
      err.println(failure.getMessage());
      return NOT_STARTED;
    }
  }

  /** With faults, the functions complain all the time, and rightly. */
  private static PrintStream logFile() throws IOException {
    Path target = Path.of(System.getProperty("tallyroll.home", "."), "deploy", "local", "target");
    return new PrintStream(
        Files.newOutputStream(target.resolve("faults.log")), true, StandardCharsets.UTF_8);
  }

  private static LocalCloudOptions cloud(UpOptions options, Consumer<String> log) {
    LocalCloudOptions.Builder cloud =
        LocalCloudOptions.builder()
            .project(options.project())
            .firestorePort(options.firestorePort())
            .pubSubPort(options.pubSubPort())
            .log(log);
    return (options.faults() ? cloud.callFaults(CallFaults.NONE) : cloud).build();
  }

  private static int watch(
      LocalCloud cloud, Settings settings, UpOptions options, Table table, PrintStream out)
      throws Exception {
    CountDownLatch end = EndOfInput.latch(System.in);
    try (Demo demo = new Demo(cloud, settings, options, table)) {
      out.printf(
          "ready: FIRESTORE_EMULATOR_HOST=%s PUBSUB_EMULATOR_HOST=%s GOOGLE_CLOUD_PROJECT=%s%n",
          cloud.firestoreHost(), cloud.pubSubHost(), cloud.project());
      out.flush();
      Duration duration = options.seconds().map(Duration::ofSeconds).orElse(UNTIL_ENDED);
      Traffic traffic = new Traffic(demo.counters(), options.traffic());
      Watch watch =
          () -> {
            if (options.consolePort().isEmpty()) {
              demo.watch(duration, end);
              return;
            }
            try (LocalControls controls = new LocalControls(cloud, settings.layout(), traffic);
                Console console = Console.start(options.consolePort().get(), controls)) {
              out.println("console: " + console.address());
              demo.watch(duration, end);
            }
          };
      if (demo.counters().isEmpty()) {
        watch.run();
        return 0;
      }
      if (options.faults()) {
        return disturb(cloud, demo, traffic, options, watch, out);
      }
      watch.run();
      Summary summary = demo.finish(traffic);
      out.print(summary);
      return summary.isRight() ? 0 : WRONG;
    }
  }

  /** Until the time is over, or it is asked to end. */
  private interface Watch {
    void run() throws ExecutionException, InterruptedException;
  }

  private static int disturb(
      LocalCloud cloud, Demo demo, Traffic traffic, UpOptions options, Watch watch, PrintStream out)
      throws Exception {
    long started = System.nanoTime();
    Chaos chaos = Chaos.start(cloud, options.seed());
    watch.run();
    Duration lasted = Duration.ofNanos(System.nanoTime() - started);
    out.println("repairing, sweeping and waiting until all is quiet, for some minutes at most");
    traffic.close();
    chaos.stop();
    List<Drift> drift = FullSweep.of(cloud);
    Summary summary = demo.finish(traffic);
    FaultSummary faults =
        new FaultSummary(
            options.seed(),
            lasted,
            chaos.counts(),
            cloud.deliveries().counts(),
            cloud.failedMessages(),
            drift);
    out.print(faults);
    out.print(summary);
    return summary.isRight() && faults.isTelling() ? 0 : WRONG;
  }
}
