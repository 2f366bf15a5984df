package dev.tallyroll.local.soak;

import dev.tallyroll.Layout;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.chaos.Chaos;
import dev.tallyroll.local.chaos.FaultCounts;
import dev.tallyroll.local.chaos.FullSweep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One soak on a local cloud that has nothing else to do: first all events are lost, then everything
 * goes wrong, then nothing more does and all must come right. Used by one thread.
 */
final class SoakRun implements AutoCloseable {
  /** Every kind comes within seconds, unless the machine is very slow. */
  private static final Duration EVERY_KIND_WITHIN = Duration.ofMinutes(3);

  /** A crashed roller is replaced within a minute, and late calls arrive for another half. */
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(4);

  private final LocalCloud cloud;
  private final SoakOptions options;
  private final Consumer<String> log;
  private final Cast cast;
  private final List<String> findings = new ArrayList<>();
  private long steps;
  private long passedOver;

  SoakRun(LocalCloud cloud, SoakOptions options, Consumer<String> log) {
    this.cloud = cloud;
    this.options = options;
    this.log = log;
    this.cast = Cast.of(cloud, options);
  }

  SoakReport run() throws ExecutionException, InterruptedException, TimeoutException {
    log.accept("creating " + cast.clients().size() + " counters");
    for (var client : cast.clients()) {
      client.create();
    }
    try (var readers = Readers.start(cast.firestore(), Layout.DEFAULT, cast.clients(), log)) {
      long driftWhenLost = options.lost().isZero() ? 0 : loseAllEvents();
      FaultCounts faults;
      Instant calmFrom;
      try (var crowd = Crowd.start(cast.clients(), options.perSecond(), options.seed(), log)) {
        faults = disturb();
        log.accept("calm for " + options.recovery().plus(options.calm()).toSeconds() + " s");
        TimeUnit.NANOSECONDS.sleep(options.recovery().toNanos());
        calmFrom = Instant.now();
        TimeUnit.NANOSECONDS.sleep(options.calm().toNanos());
        steps += crowd.steps();
        passedOver += crowd.passedOver();
      }
      var calmTo = Instant.now();
      cast.settleNames(log);
      awaitSettled("before the sweep");
      int drift = FullSweep.of(cloud).size();
      awaitSettled("after the sweep");
      long idleCommits = idleCommits();
      return report(
          readers.seen(),
          faults,
          driftWhenLost,
          drift,
          cast.freshness(calmFrom, calmTo),
          idleCommits);
    }
  }

  private long loseAllEvents() throws ExecutionException, InterruptedException, TimeoutException {
    log.accept("losing all events for " + options.lost().toSeconds() + " s");
    cloud.deliveries().inject(DeliveryFaults.losingAllEvents());
    try (var crowd = Crowd.start(cast.clients(), options.perSecond(), options.seed(), log)) {
      TimeUnit.NANOSECONDS.sleep(options.lost().toNanos());
      steps += crowd.steps();
      passedOver += crowd.passedOver();
    }
    cloud.deliveries().inject(DeliveryFaults.NONE);
    int drift = FullSweep.of(cloud).size();
    awaitSettled("after the sweep that follows the loss of all events");
    return drift;
  }

  private FaultCounts disturb() throws InterruptedException {
    log.accept("everything goes wrong for " + options.faults().toSeconds() + " s");
    cast.loseReplies(options.seed());
    var chaos = Chaos.start(cloud, options.seed());
    TimeUnit.NANOSECONDS.sleep(options.faults().toNanos());
    boolean all = chaos.awaitEveryKind(EVERY_KIND_WITHIN);
    chaos.stop();
    cast.loseNoReplies();
    if (!all) {
      findings.add("expected every kind of fault, found none of " + chaos.counts().neverHappened());
    }
    if (cast.lostReplies() == 0) {
      findings.add("expected replies to clients to get lost, found none");
    }
    return chaos.counts();
  }

  private void awaitSettled(String when)
      throws ExecutionException, InterruptedException, TimeoutException {
    log.accept("waiting until all is settled, " + when);
    long end = System.nanoTime() + SETTLED_WITHIN.toNanos();
    List<Client> left = cast.clients();
    while (!left.isEmpty() && System.nanoTime() < end) {
      left = Judge.unsettled(left);
    }
    for (var client : left) {
      findings.add(when + ": " + client.path() + ": " + Judge.finals(client) + " or still live");
    }
  }

  private long idleCommits() throws InterruptedException {
    log.accept("idle for " + options.idle().toSeconds() + " s");
    long end = System.nanoTime() + SETTLED_WITHIN.toNanos();
    while (cloud.runsUnderway() > 0 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    long before = cloud.calls().counts().commits();
    TimeUnit.NANOSECONDS.sleep(options.idle().toNanos());
    return cloud.calls().counts().commits() - before;
  }

  private SoakReport report(
      long readings,
      FaultCounts faults,
      long driftWhenLost,
      long drift,
      Freshness freshness,
      long idleCommits)
      throws ExecutionException, InterruptedException, TimeoutException {
    long difference = 0;
    for (var client : cast.clients()) {
      var finals = Judge.finals(client);
      difference += Math.abs(finals.difference());
      finals.broken().ifPresent(found -> findings.add(client.path() + ": " + found));
      findings.addAll(Judge.readings(client));
    }
    if (freshness.never() > 0) {
      findings.add("expected readers to hear of every increment, found " + freshness);
    }
    var deliveries = cloud.deliveries().counts();
    var work =
        new Work(
            cast.clients().stream().mapToLong(Client::writes).sum(),
            deliveries.delivered() + deliveries.retries(),
            cloud.calls().counts().commits(),
            idleCommits);
    findings.addAll(work.broken());
    return new SoakReport(
        options,
        steps,
        passedOver,
        cast.clients().stream().mapToLong(client -> client.story().changes().size()).sum(),
        cast.clients().stream().mapToLong(Client::failures).sum(),
        cast.clients().stream().mapToLong(client -> client.story().deletions()).sum(),
        readings,
        faults,
        cast.lostReplies(),
        deliveries,
        cloud.failedMessages(),
        driftWhenLost,
        drift,
        difference,
        freshness,
        work,
        List.copyOf(findings));
  }

  /** What each counter's clients did and readers saw, for whoever has to explain a finding. */
  Map<String, Story> stories() {
    return cast.stories();
  }

  @Override
  public void close() {
    cast.close();
  }
}
