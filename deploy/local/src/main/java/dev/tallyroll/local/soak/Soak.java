package dev.tallyroll.local.soak;

import static dev.tallyroll.local.Invocation.check;

import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.Faults;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The program behind {@code deploy/local/soak}: first all events are lost, then all faults come,
 * and then, without faults, all totals must become right. Filled in by picocli; used by one thread.
 */
@Command(
    name = "deploy/local/soak",
    description = {
      "Makes everything go wrong, as deploy/local/up --faults does, while clients increment,"
          + " decrement, delete and create hundreds of counters, and readers watch; then checks"
          + " all that was written and seen. Writes the report to deploy/local/target/soak.md, the"
          + " functions' log to soak.log beside it, and if something is wrong, what each counter's"
          + " client did and readers saw to soak-histories.txt.",
      ""
    },
    footer = {"", "Example:", "  deploy/local/soak --minutes 30 --counters 300 --drop-minutes 10"},
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:all is right", "1:something is wrong", "2:bad options", "3:could not start"})
final class Soak implements Callable<Integer> {
  /** Every kind of fault comes within seconds, unless the machine is very slow. */
  private static final Duration EVERY_KIND_WITHIN = Duration.ofMinutes(3);

  /** A crashed roller is replaced within a minute; late calls come for half a minute more. */
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(4);

  private static final int STEPS_A_SECOND = 60;
  private static final int MOST_SHOWN = 50;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "how long everything goes wrong (default ${DEFAULT-VALUE}); the rest takes about two"
              + " more")
  int minutes = 3;

  @Option(
      names = "--counters",
      paramLabel = "K",
      description = "how many counters (default ${DEFAULT-VALUE})")
  int counters = 300;

  @Option(
      names = "--drop-minutes",
      paramLabel = "D",
      description = "first lose all events for D minutes, and sweep (default ${DEFAULT-VALUE})")
  int dropMinutes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "seed of the steps and the faults (default ${DEFAULT-VALUE})")
  int seed = 1;

  private final List<String> findings = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();
  private final AlertLines alerts = new AlertLines();
  private PrintStream log = System.err;

  /** Runs, and ends the JVM with the status that {@code --help} explains. */
  public static void main(String[] arguments) {
    Invocation.exit(new Soak(), arguments);
  }

  /** Refuses options that are out of range. */
  void validate() {
    check("--minutes", minutes, 1, 6_000);
    check("--counters", counters, 10, 10_000);
    check("--drop-minutes", dropMinutes, 0, 600);
    check("--seed", seed, 0, 999_999_999);
  }

  @Override
  public Integer call() throws Exception {
    validate();
    var target = Path.of(System.getProperty("tallyroll.home", "."), "deploy", "local", "target");
    try (var file = open(target.resolve("soak.log"))) {
      log = file;
      var options =
          new LocalCloudOptions()
              .settings(Map.of())
              .log(log::println)
              .printed(line -> alerts.hear(line, Instant.now()));
      try (var cloud = LocalCloud.start(options);
          var load = new SoakLoad(cloud, counters, seed, log::println)) {
        play(cloud, load);
        var report = report();
        Files.writeString(target.resolve("soak.md"), report);
        System.out.print(report);
        if (!findings.isEmpty()) {
          writeHistories(target.resolve("soak-histories.txt"), load);
        }
      }
    }
    return findings.isEmpty() ? Invocation.RIGHT : Invocation.WRONG;
  }

  private void play(LocalCloud cloud, SoakLoad load) throws Exception {
    say("creating " + counters + " counters");
    load.begin();
    if (dropMinutes > 0) {
      loseAllEvents(cloud, load);
    }
    load.during(STEPS_A_SECOND, () -> disturb(cloud, load));
    load.settleNames();
    requireSettled(load, "before the sweep");
    row("drift corrected by the last sweep", Faults.sweep(cloud).size());
    requireSettled(load, "after the sweep");
    findings.addAll(load.findings());
    findings.addAll(alerts.raised(Instant.now()));
    tell(cloud, load);
  }

  private void loseAllEvents(LocalCloud cloud, SoakLoad load) throws Exception {
    say("losing all events for " + dropMinutes + " minutes");
    cloud.deliveries().inject(DeliveryFaults.losingAllEvents());
    load.during(STEPS_A_SECOND, () -> TimeUnit.MINUTES.sleep(dropMinutes));
    cloud.deliveries().inject(DeliveryFaults.NONE);
    int drift = Faults.sweep(cloud).size();
    row("drift after " + dropMinutes + " minutes of losing all events", drift);
    requireSettled(load, "after the sweep that follows the loss of all events");
  }

  private void disturb(LocalCloud cloud, SoakLoad load) throws InterruptedException {
    say("everything goes wrong for " + minutes + " minutes");
    load.loseReplies(true);
    var faults = Faults.start(cloud, seed);
    TimeUnit.MINUTES.sleep(minutes);
    boolean all = faults.awaitEveryKind(EVERY_KIND_WITHIN);
    faults.stop();
    load.loseReplies(false);
    if (!all) {
      findings.add(
          "expected every kind of fault, found none of "
              + Occurrence.neverHappened(faults.counts()));
    }
    if (load.lostReplies() == 0) {
      findings.add("expected replies to clients to get lost, found none");
    }
    Occurrence.FAULTS.forEach(fault -> row(fault, faults.count(fault)));
  }

  private void requireSettled(SoakLoad load, String when) throws Exception {
    say("waiting until all is settled, " + when);
    load.unsettledAfter(SETTLED_WITHIN).forEach(found -> findings.add(when + ": " + found));
  }

  private void tell(LocalCloud cloud, SoakLoad load) throws Exception {
    long difference = 0;
    for (var client : load.clients) {
      difference += client.standing().difference();
    }
    var events = cloud.deliveries();
    row("steps of clients", load.steps);
    row("replies to clients lost", load.lostReplies());
    row("events", events.count(Occurrence.EVENT));
    row("deliveries tried again", events.count(Occurrence.RETRIED));
    row("messages that RollUp lost", cloud.failedMessages());
    row("commits of the functions", cloud.calls().count(Occurrence.COMMIT));
    row("roll-ups seen by a reader", load.seen());
    row("difference between totals and shards", difference);
    row("seconds without the end of a run, at the most", alerts.longest().toSeconds());
    alerts.counted().forEach((metric, lines) -> row("lines that " + metric + " counts", lines));
  }

  private void row(Object what, Object howMuch) {
    rows.add("| " + what + " | " + howMuch + " |");
  }

  private void say(String line) {
    log.println(line);
    System.err.println(line);
  }

  private String report() {
    return """
    # Soak: %s

    %d counters for %d minutes of faults, seed %d, JDK %s.

    | what | how much |
    |---|---|
    %s

    ## Findings

    %s
    """
        .formatted(
            findings.isEmpty() ? "all is right" : findings.size() + " findings",
            counters,
            minutes,
            seed,
            Runtime.version(),
            String.join("\n", rows),
            findings.isEmpty()
                ? "None."
                : findings.stream()
                    .limit(MOST_SHOWN)
                    .map("- "::concat)
                    .collect(Collectors.joining("\n")));
  }

  private static PrintStream open(Path file) throws IOException {
    return new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
  }

  private static void writeHistories(Path file, SoakLoad load) throws IOException {
    try (var out = open(file)) {
      for (var client : load.clients) {
        out.println(client.path());
        client.changes.forEach(change -> out.println("  " + change));
        List.copyOf(client.seen).forEach(seen -> out.println("  " + seen));
      }
    }
  }
}
