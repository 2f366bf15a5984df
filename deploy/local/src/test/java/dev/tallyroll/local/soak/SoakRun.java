package dev.tallyroll.local.soak;

import dev.tallyroll.Layout;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.chaos.Chaos;
import dev.tallyroll.local.chaos.FaultCounts.Fault;
import dev.tallyroll.local.soak.Client.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One soak on a local cloud that has nothing else to do: first all events are lost, then everything
 * goes wrong, then nothing more does and all must come right. Used by one thread.
 */
final class SoakRun implements AutoCloseable {
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

  private final LocalCloud cloud;
  private final Soak options;
  private final Consumer<String> log;
  private final Load load;
  private final List<String> findings = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();
  private Instant calmFrom = Instant.MAX;
  private Instant calmTo = Instant.MIN;

  SoakRun(LocalCloud cloud, Soak options, Consumer<String> log) {
    this.cloud = cloud;
    this.options = options;
    this.log = log;
    this.load = new Load(cloud, options.counters, options.seed, log);
  }

  /** What is wrong, each in a sentence. */
  List<String> findings() {
    return findings;
  }

  List<Client> clients() {
    return load.clients();
  }

  /** Returns the report, as Markdown. */
  String run() throws ExecutionException, InterruptedException, TimeoutException {
    log.accept("creating " + options.counters + " counters");
    load.createAll();
    try (var readers = Readers.start(load.firestore(), Layout.DEFAULT, load.clients(), log)) {
      if (!options.lost().isZero()) {
        loseAllEvents();
      }
      load.during(options.perSecond, this::disturb);
      load.settleNames();
      requireSettled("before the sweep");
      row("drift corrected by the last sweep", Chaos.sweep(cloud).size());
      requireSettled("after the sweep");
      long idle = idleCommits();
      row("roll-ups seen by readers", readers.seen());
      checkAll(idle);
    }
    return report();
  }

  private void loseAllEvents() throws ExecutionException, InterruptedException, TimeoutException {
    log.accept("losing all events for " + seconds(options.lost()));
    cloud.deliveries().inject(DeliveryFaults.losingAllEvents());
    load.during(options.perSecond, Load.nothingFor(options.lost()));
    cloud.deliveries().inject(DeliveryFaults.NONE);
    int drift = Chaos.sweep(cloud).size();
    row("drift after " + seconds(options.lost()) + " of losing all events", drift);
    requireSettled("after the sweep that follows the loss of all events");
  }

  private void disturb() throws InterruptedException {
    log.accept("everything goes wrong for " + seconds(options.faults()));
    load.loseReplies(true, options.seed);
    var chaos = Chaos.start(cloud, options.seed);
    TimeUnit.NANOSECONDS.sleep(options.faults().toNanos());
    boolean all = chaos.awaitEveryKind(EVERY_KIND_WITHIN);
    chaos.stop();
    load.loseReplies(false, options.seed);
    if (!all) {
      findings.add("expected every kind of fault, found none of " + chaos.counts().neverHappened());
    }
    if (load.lostReplies() == 0) {
      findings.add("expected replies to clients to get lost, found none");
    }
    Arrays.stream(Fault.values()).forEach(fault -> row(fault, chaos.counts().of(fault)));
    log.accept("calm for " + seconds(RECOVERY.plus(CALM)));
    TimeUnit.NANOSECONDS.sleep(RECOVERY.toNanos());
    calmFrom = Instant.now();
    TimeUnit.NANOSECONDS.sleep(CALM.toNanos());
    calmTo = Instant.now();
  }

  private void requireSettled(String when)
      throws ExecutionException, InterruptedException, TimeoutException {
    log.accept("waiting until all is settled, " + when);
    for (var client : load.awaitSettled(SETTLED_WITHIN)) {
      findings.add(when + ": " + client.path() + ": not settled: " + Checks.standing(client));
    }
  }

  private long idleCommits() throws InterruptedException {
    log.accept("idle for " + seconds(IDLE));
    long end = System.nanoTime() + SETTLED_WITHIN.toNanos();
    while (cloud.runsUnderway() > 0 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    long before = cloud.calls().counts().commits();
    TimeUnit.NANOSECONDS.sleep(IDLE.toNanos());
    return cloud.calls().counts().commits() - before;
  }

  private void checkAll(long idleCommits)
      throws ExecutionException, InterruptedException, TimeoutException {
    long difference = 0;
    long writes = 0;
    long failures = 0;
    long deletions = 0;
    long increments = 0;
    // Of the counters that only rise: of the others, a total may stand still though it is new.
    var freshness = new Freshness(List.of(), 0);
    for (var client : load.clients()) {
      var standing = Checks.standing(client);
      difference += Math.abs(standing.difference());
      standing.broken().ifPresent(found -> findings.add(client.path() + ": " + found));
      findings.addAll(Checks.readings(client));
      writes += client.writes();
      failures += client.failures();
      var history = client.history();
      deletions += history.deletions();
      increments += history.changes().size();
      if (client.kind() == Kind.RISING) {
        freshness =
            freshness.plus(Freshness.of(history.changes(), history.heard(), calmFrom, calmTo));
      }
    }
    if (freshness.never() > 0) {
      findings.add("expected readers to hear of every increment, found " + freshness);
    }
    var events = cloud.deliveries().counts();
    long deliveries = events.delivered() + events.retries();
    long commits = cloud.calls().counts().commits();
    findings.addAll(Checks.work(deliveries, commits, idleCommits));

    row("steps of clients", load.steps());
    row("steps left out, as an answer was awaited", load.passedOver());
    row("increments counted, in counters that are left", increments);
    row("calls of named increments made again", failures);
    row("replies to clients lost", load.lostReplies());
    row("counters deleted", deletions);
    row("events", events.submitted());
    row("deliveries of them", deliveries);
    row("deliveries tried again", events.retries());
    row("messages that RollUp lost", cloud.failedMessages());
    row("difference between totals and shards", difference);
    row("freshness in " + seconds(CALM) + " after the faults", freshness);
    row("commits of the functions", commits);
    row(
        "commits for each write of a shard",
        String.format(Locale.ROOT, "%.3f", (double) commits / Math.max(1, writes)));
    row("commits in " + seconds(IDLE) + " of idleness", idleCommits);
  }

  private void row(Object what, Object howMuch) {
    rows.add("| " + what + " | " + howMuch + " |");
  }

  private static String seconds(Duration duration) {
    return duration.toSeconds() + " s";
  }

  private String report() {
    return """
        # Soak: %s

        %d counters for %s of faults, seed %d, JDK %s.

        | what | how much |
        |---|---|
        %s

        ## Findings

        %s
        """
        .formatted(
            findings.isEmpty() ? "all is right" : findings.size() + " findings",
            options.counters,
            seconds(options.faults()),
            options.seed,
            Runtime.version(),
            String.join("\n", rows),
            findings.isEmpty()
                ? "None."
                : findings.stream()
                    .limit(MOST_SHOWN)
                    .map("- "::concat)
                    .collect(Collectors.joining("\n")));
  }

  @Override
  public void close() {
    load.close();
  }
}
