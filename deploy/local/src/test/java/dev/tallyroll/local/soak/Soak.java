package dev.tallyroll.local.soak;

import static dev.tallyroll.local.Invocation.check;

import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.Faults;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.soak.Client.Kind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The program behind {@code deploy/local/soak}: first all events are lost, then everything goes
 * wrong, then nothing more does and all must come right. Filled in by picocli; used by one thread.
 */
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
  /** Every kind comes within seconds, unless the machine is very slow. */
  private static final Duration EVERY_KIND_WITHIN = Duration.ofMinutes(3);

  /** A crashed roller is replaced within a minute, and late calls arrive for another half. */
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(4);

  /** How long it takes after the faults until freshness is measured, and for how long that is. */
  private static final Duration RECOVERY = Duration.ofSeconds(70);

  private static final Duration CALM = Duration.ofSeconds(60);

  /** How long nothing must be written, in the end. */
  private static final Duration IDLE = Duration.ofSeconds(60);

  private static final int MOST_SHOWN = 50;

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

  private final List<String> findings = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();
  private PrintStream log = System.err;
  private Instant calmFrom = Instant.MAX;
  private Instant calmTo = Instant.MIN;

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

  @Override
  public Integer call() throws Exception {
    validate();
    var target = Path.of(System.getProperty("tallyroll.home", "."), "deploy", "local", "target");
    try (var file = open(target.resolve("soak.log"))) {
      log = file;
      var options = new LocalCloudOptions().settings(Map.of()).log(log::println);
      try (var cloud = LocalCloud.start(options);
          var load = new Load(cloud, counters, seed, log::println)) {
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

  private void play(LocalCloud cloud, Load load) throws Exception {
    say("creating " + counters + " counters");
    load.begin();
    if (dropMinutes > 0) {
      loseAllEvents(cloud, load);
    }
    load.during(perSecond, () -> disturb(cloud, load));
    load.settleNames();
    requireSettled(load, "before the sweep");
    row("drift corrected by the last sweep", Faults.sweep(cloud).size());
    requireSettled(load, "after the sweep");
    long idle = idleCommits(cloud);
    row("roll-ups seen by readers", load.seen());
    findings.addAll(load.findings());
    checkFreshness(load);
    checkWork(cloud, load, idle);
  }

  private void loseAllEvents(LocalCloud cloud, Load load) throws Exception {
    say("losing all events for " + dropMinutes + " minutes");
    cloud.deliveries().inject(DeliveryFaults.losingAllEvents());
    load.during(perSecond, () -> TimeUnit.MINUTES.sleep(dropMinutes));
    cloud.deliveries().inject(DeliveryFaults.NONE);
    int drift = Faults.sweep(cloud).size();
    row("drift after " + dropMinutes + " minutes of losing all events", drift);
    requireSettled(load, "after the sweep that follows the loss of all events");
  }

  private void disturb(LocalCloud cloud, Load load) throws InterruptedException {
    say("everything goes wrong for " + minutes + " minutes");
    load.loseReplies(true, seed);
    var faults = Faults.start(cloud, seed);
    TimeUnit.MINUTES.sleep(minutes);
    boolean all = faults.awaitEveryKind(EVERY_KIND_WITHIN);
    faults.stop();
    load.loseReplies(false, seed);
    if (!all) {
      findings.add(
          "expected every kind of fault, found none of "
              + Occurrence.neverHappened(faults.counts()));
    }
    if (load.lostReplies() == 0) {
      findings.add("expected replies to clients to get lost, found none");
    }
    Occurrence.FAULTS.forEach(fault -> row(fault, faults.count(fault)));
    say("calm for " + seconds(RECOVERY.plus(CALM)));
    TimeUnit.NANOSECONDS.sleep(RECOVERY.toNanos());
    calmFrom = Instant.now();
    TimeUnit.NANOSECONDS.sleep(CALM.toNanos());
    calmTo = Instant.now();
  }

  private void requireSettled(Load load, String when) throws Exception {
    say("waiting until all is settled, " + when);
    load.unsettledAfter(SETTLED_WITHIN).forEach(found -> findings.add(when + ": " + found));
  }

  private long idleCommits(LocalCloud cloud) throws InterruptedException {
    say("idle for " + seconds(IDLE));
    long end = System.nanoTime() + SETTLED_WITHIN.toNanos();
    while (cloud.runsUnderway() > 0 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    long before = cloud.calls().count(Occurrence.COMMIT);
    TimeUnit.NANOSECONDS.sleep(IDLE.toNanos());
    return cloud.calls().count(Occurrence.COMMIT) - before;
  }

  /** Of the counters that only rise: of the others, a total may stand still though it is new. */
  private void checkFreshness(Load load) {
    var lags =
        load.clients.stream()
            .filter(client -> client.kind == Kind.RISING)
            .flatMap(
                client ->
                    Checks.lags(
                        List.copyOf(client.changes), List.copyOf(client.heard), calmFrom, calmTo)
                        .stream())
            .sorted()
            .toList();
    long never = lags.stream().filter(Checks.NEVER::equals).count();
    if (never > 0) {
      findings.add("expected readers to hear of every increment, found " + never + " unheard of");
    }
    row(
        "freshness in " + seconds(CALM) + " after the faults",
        "%d increments: p50 %s, p99 %s, max %s; never %d"
            .formatted(lags.size(), at(0.5, lags), at(0.99, lags), at(1, lags), never));
  }

  /** Nearest rank. */
  private static String at(double share, List<Duration> sorted) {
    int rank = Math.max(1, (int) Math.ceil(share * sorted.size()));
    var found = sorted.isEmpty() ? Duration.ZERO : sorted.get(rank - 1);
    return found.equals(Checks.NEVER)
        ? "never"
        : String.format(Locale.ROOT, "%.2f s", found.toMillis() / 1e3);
  }

  private void checkWork(LocalCloud cloud, Load load, long idleCommits) throws Exception {
    long difference = 0;
    for (var client : load.clients) {
      difference += Math.abs(client.standing().difference());
    }
    var clients = load.clients;
    var events = cloud.deliveries();
    long deliveries = events.count(Occurrence.DELIVERED) + events.count(Occurrence.RETRIED);
    long commits = cloud.calls().count(Occurrence.COMMIT);
    findings.addAll(Checks.work(deliveries, commits, idleCommits));
    row("steps of clients", load.steps);
    row("steps left out, as an answer was awaited", load.passedOver);
    row(
        "increments counted, in counters that are left",
        clients.stream().mapToLong(client -> client.changes.size()).sum());
    row(
        "calls of named increments made again",
        clients.stream().mapToLong(client -> client.failures).sum());
    row("replies to clients lost", load.lostReplies());
    row("counters deleted", clients.stream().mapToLong(client -> client.deletions).sum());
    row("events", events.count(Occurrence.EVENT));
    row("deliveries of them", deliveries);
    row("deliveries tried again", events.count(Occurrence.RETRIED));
    row("messages that RollUp lost", cloud.failedMessages());
    row("difference between totals and shards", difference);
    row("commits of the functions", commits);
    long writes = clients.stream().mapToLong(client -> client.writesOfShards).sum();
    row(
        "commits for each write of a shard",
        String.format(Locale.ROOT, "%.3f", (double) commits / Math.max(1, writes)));
    row("commits in " + seconds(IDLE) + " of idleness", idleCommits);
  }

  private void row(Object what, Object howMuch) {
    rows.add("| " + what + " | " + howMuch + " |");
  }

  private void say(String line) {
    log.println(line);
    System.err.println(line);
  }

  private static String seconds(Duration duration) {
    return duration.toSeconds() + " s";
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

  private static void writeHistories(Path file, Load load) throws IOException {
    try (var out = open(file)) {
      for (var client : load.clients) {
        out.println(client.path());
        List.copyOf(client.changes).forEach(change -> out.println("  " + change));
        List.copyOf(client.heard).forEach(seen -> out.println("  heard " + seen));
        List.copyOf(client.polled).forEach(seen -> out.println("  polled " + seen));
      }
    }
  }
}
