package dev.tallyroll.local.up;

import dev.tallyroll.Settings;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.LocalCloudOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

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
    try (LocalCloud cloud = LocalCloud.start(cloud(options))) {
      return watch(cloud, settings, options, new Table(out, terminal), out);
    } catch (LocalCloudException failure) {
      err.println(failure.getMessage());
      return NOT_STARTED;
    }
  }

  private static LocalCloudOptions cloud(UpOptions options) {
    return LocalCloudOptions.builder()
        .project(options.project())
        .firestorePort(options.firestorePort())
        .pubSubPort(options.pubSubPort())
        .build();
  }

  private static int watch(
      LocalCloud cloud, Settings settings, UpOptions options, Table table, PrintStream out)
      throws Exception {
    try (Demo demo = new Demo(cloud, settings, options, table)) {
      out.printf(
          "ready: FIRESTORE_EMULATOR_HOST=%s PUBSUB_EMULATOR_HOST=%s GOOGLE_CLOUD_PROJECT=%s%n",
          cloud.firestoreHost(), cloud.pubSubHost(), cloud.project());
      out.flush();
      Duration duration = options.seconds().map(Duration::ofSeconds).orElse(UNTIL_ENDED);
      if (demo.counters().isEmpty()) {
        demo.watch(duration);
        return 0;
      }
      Traffic traffic = new Traffic(demo.counters(), options.traffic());
      demo.watch(duration);
      Summary summary = demo.finish(traffic);
      out.print(summary);
      return summary.isRight() ? 0 : WRONG;
    }
  }
}
