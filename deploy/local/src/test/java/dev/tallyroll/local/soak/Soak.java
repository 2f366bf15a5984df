package dev.tallyroll.local.soak;

import static dev.tallyroll.local.Invocation.check;

import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The program behind {@code deploy/local/soak}. Filled in by picocli; used by one thread. */
@Command(
    name = "deploy/local/soak",
    description = {
      "Makes everything go wrong, as deploy/local/up --faults does, with hundreds of counters that"
          + " are incremented, decremented, deleted and created again, while readers watch; then"
          + " checks all that was written and seen. The report goes to deploy/local/target/soak.md,"
          + " the functions' log to soak.log beside it, and if something is wrong, what each"
          + " counter's client did and readers saw to soak-histories.txt.",
      ""
    },
    footer = {"", "Example:", "  deploy/local/soak --minutes 30 --counters 300 --drop-minutes 10"},
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:all is right", "1:something is wrong", "2:bad options", "3:could not start"})
final class Soak implements Callable<Integer> {
  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "how long everything goes wrong (default ${DEFAULT-VALUE}); the rest takes some five"
              + " more")
  int minutes = 3;

  @Option(
      names = "--counters",
      paramLabel = "K",
      description = "how many counters (default ${DEFAULT-VALUE})")
  int counters = 300;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "their increments and other steps, a second (default ${DEFAULT-VALUE})")
  int perSecond = 60;

  @Option(
      names = "--drop-minutes",
      paramLabel = "D",
      description = "first lose all events for D minutes, and sweep (default ${DEFAULT-VALUE})")
  int dropMinutes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "of the steps and the faults (default ${DEFAULT-VALUE})")
  int seed = 1;

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Soak(), arguments);
  }

  /** Refuses what is out of its range. */
  void validate() {
    check("--minutes", minutes, 1, 6_000);
    check("--counters", counters, 10, 10_000);
    check("--rate", perSecond, 1, 1_000);
    check("--drop-minutes", dropMinutes, 0, 600);
    check("--seed", seed, 0, 999_999_999);
  }

  Duration faults() {
    return Duration.ofMinutes(minutes);
  }

  Duration lost() {
    return Duration.ofMinutes(dropMinutes);
  }

  @Override
  public Integer call() throws Exception {
    validate();
    var target = Path.of(System.getProperty("tallyroll.home", "."), "deploy", "local", "target");
    try (var log = open(target.resolve("soak.log"));
        var cloud = LocalCloud.start(cloud(log));
        var soak = new SoakRun(cloud, this, line -> say(log, line))) {
      var report = soak.run();
      Files.writeString(target.resolve("soak.md"), report);
      System.out.print(report);
      if (!soak.findings().isEmpty()) {
        writeHistories(target.resolve("soak-histories.txt"), soak);
      }
      return soak.findings().isEmpty() ? Invocation.RIGHT : Invocation.WRONG;
    }
  }

  private static LocalCloudOptions cloud(PrintStream log) {
    return new LocalCloudOptions().settings(Map.of()).log(log::println);
  }

  private static void say(PrintStream log, String line) {
    log.println(line);
    System.err.println(line);
  }

  private static PrintStream open(Path file) throws IOException {
    return new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
  }

  private static void writeHistories(Path file, SoakRun soak) throws IOException {
    try (var out = open(file)) {
      for (var client : soak.clients()) {
        out.println(client.path());
        client.history().changes().forEach(change -> out.println("  " + change));
        client.history().heard().forEach(seen -> out.println("  heard " + seen));
        client.history().polled().forEach(seen -> out.println("  polled " + seen));
      }
    }
  }
}
