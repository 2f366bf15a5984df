package dev.tallyroll.local.soak;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.LocalCloudOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The program behind {@code deploy/local/soak}. */
public final class Soak {
  private static final int WRONG = 1;
  private static final int BAD_OPTIONS = 2;
  private static final int NOT_STARTED = 3;

  private Soak() {}

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) throws Exception {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) throws Exception {
    if (arguments.contains("--help")) {
      System.out.print(SoakOptions.HELP);
      return 0;
    }
    try {
      return run(SoakOptions.parse(arguments));
    } catch (IllegalArgumentException malformed) {
      System.err.println(malformed.getMessage() + "\nTry deploy/local/soak --help");
      return BAD_OPTIONS;
    } catch (LocalCloudException failure) {
      System.err.println(failure.getMessage());
      return NOT_STARTED;
    }
  }

  private static int run(SoakOptions options) throws Exception {
    var target = Path.of(System.getProperty("tallyroll.home", "."), "deploy", "local", "target");
    try (var log = open(target.resolve("soak.log"));
        var cloud = LocalCloud.start(cloud(log));
        var soak = new SoakRun(cloud, options, line -> say(log, line))) {
      var report = soak.run();
      Files.writeString(target.resolve("soak.md"), report.toString());
      System.out.print(report);
      if (!report.isRight()) {
        writeStories(target.resolve("soak-stories.txt"), soak.stories());
      }
      return report.isRight() ? 0 : WRONG;
    }
  }

  private static LocalCloudOptions cloud(PrintStream log) {
    return LocalCloudOptions.builder()
        .settings(Map.of())
        .callFaults(CallFaults.NONE)
        .log(log::println)
        .build();
  }

  private static void say(PrintStream log, String line) {
    log.println(line);
    System.err.println(line);
  }

  private static PrintStream open(Path file) throws IOException {
    return new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
  }

  private static void writeStories(Path file, Map<String, Story> stories) throws IOException {
    try (var out = open(file)) {
      stories.forEach(
          (counter, story) -> {
            out.println(counter);
            story.changes().forEach(change -> out.println("  " + change));
            story.heard().forEach(seen -> out.println("  heard " + seen));
            story.polled().forEach(seen -> out.println("  polled " + seen));
          });
    }
  }
}
