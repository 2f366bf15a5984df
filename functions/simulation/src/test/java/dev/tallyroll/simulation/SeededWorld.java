package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.Features.Feature;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A whole deployment in one thread: clients, database, events, handlers, rollers and their
 * schedule. All choices are drawn from one seed.
 */
final class SeededWorld implements Seeds.Play {
  private static final int WORKERS = 2;
  private static final int MAX_COUNTERS = 3;
  private static final int MAX_WRITES = 60;
  private static final int MAX_CALLS = 40;

  /** This many writes keep a counter busy for longer than a run. */
  private static final int LONG_WRITES = 200;

  /** Few enough that no later write hides a mistake near the end. */
  private static final int FEW_WRITES = 8;

  /** A crowded world has so many counters, or more. */
  private static final int LEAST_CROWD = 150;

  /** In these worlds, a sweep and a poll come to no end at once. */
  private static final int FEW = 2;

  private static final int FEW_OF_A_CROWD = 100;

  private static final Duration FAULTY = Duration.ofSeconds(80);

  /** How long a transaction of the app locks a counter's own document. */
  private static final Duration LOCK = Duration.ofSeconds(9);

  /**
   * The time after which three writes of two instances, each of which waits for the one before, go
   * on without a document that is locked.
   */
  private static final Duration LOCKED = Duration.ofSeconds(6);

  /** The time for a wake-up and some calls. */
  private static final Duration CALLS = Duration.ofMillis(500);

  /** The longest call without faults. */
  private static final Duration A_JUMP = Duration.ofMillis(20);

  private static final Duration UNTIL_QUIET = Duration.ofHours(26);

  /** The time for the next scheduled run, a lease, an idle run's wait, and some calls. */
  private static final Duration UNTIL_SETTLED = Duration.ofMinutes(2);

  private final long seed;
  private final Features features;
  private final Faults faults;
  private final World world;
  private final VirtualTime time;
  private final ServerTotals totals;
  private final History history;
  private final List<Clients> users = new ArrayList<>();
  private final List<Deployment> deployments = new ArrayList<>();

  /** Functions with other settings. */
  private Optional<Deployment> strangers = Optional.empty();

  /** The functions of one layout. */
  private record Deployment(Layout layout, Rollers rollers, Deliveries<ShardWrite> deliveries) {}

  SeededWorld(long seed) {
    this.seed = seed;
    faults = new Faults(seed, Faults.Level.of(seed));
    features = Features.of(seed, faults.random);
    faults.lateness = features.lateness();
    boolean crowded = has(Feature.CROWDED);
    int few = crowded ? FEW_OF_A_CROWD : FEW;
    int sweepCounters = has(Feature.IN_PARTS) ? few : crowded ? 4 * LEAST_CROWD : 200;
    Timing timing = features.timing();
    world =
        new World(faults, timing, World.settings(timing, WORKERS, sweepCounters), this::clockError);
    world.server.readsAtOldTimes = has(Feature.OLD_READS);
    time = world.time;
    totals = world.totals;
    history = world.history;
    totals.showsFields = has(Feature.TOTALS_IN_DOCUMENTS);
    history.precision = Features.PRECISION;
    if (crowded) {
      crowd();
    }
    totals.onShards(this::shardsChanged);
    deployments.add(deploy(Layout.DEFAULT));
    if (has(Feature.POLLS)) {
      deployments.add(deploy(ServerTotals.POLLED));
    }
    if (faults.random.nextInt(8) == 0) {
      deployments.add(deploy(ServerTotals.POLLS));
    }
  }

  private boolean has(Feature feature) {
    return features.has().contains(feature);
  }

  private Duration clockError() {
    long most = faults.random.nextInt(10) == 0 ? 86_400_000 : 500;
    return Duration.ofMillis((long) ((faults.random.nextDouble() - 0.5) * 2 * most));
  }

  private Deployment deploy(Layout layout) {
    Rollers rollers = new Rollers(world, layout);
    if (layout.equals(ServerTotals.POLLED) && !has(Feature.CHANGED)) {
      rollers.poll(Optional.of(features.poll()));
    }
    rollers.everyMinute();
    Deliveries<ShardWrite> deliveries =
        new Deliveries<>(
            world,
            instance -> world.handler(instance, layout, rollers)::written,
            has(Feature.LOST_EVENTS));
    return new Deployment(layout, rollers, deliveries);
  }

  /**
   * Quiet counters that were there before the functions, on several pages of a sweep, or of a poll.
   */
  private void crowd() {
    int counters = LEAST_CROWD + faults.random.nextInt(LEAST_CROWD);
    for (int i = 0; i < counters; i++) {
      CounterPath counter =
          CounterPath.of("%s-many-%03d".formatted(has(Feature.POLLS) ? "q" : "c", i));
      world.putRollup(counter, i, Optional.empty());
      if (has(Feature.LOST_EVENTS) && !has(Feature.POLLS) && i % 50 == 0) {
        world.delete("rollups/" + counter.id());
      }
    }
  }

  /** Sends the events of the shards' writes. */
  private void shardsChanged(CounterPath counter, Commit commit) {
    history.shardsChanged(counter, commit);
    String shards = ServerTotals.shardsOf(counter) + "/";
    deployments.stream()
        .filter(each -> !world.withoutEvents.contains(each.layout()))
        .filter(each -> each.layout().equals(ServerTotals.layoutOf(counter)))
        .forEach(
            each ->
                commit.changes().stream()
                    .filter(change -> change.path().startsWith(shards))
                    .map(
                        change ->
                            new ShardEventSource(world.entry(each.layout())).event(change, commit))
                    .flatMap(List::stream)
                    .forEach(each.deliveries()::publish));
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public String features() {
    return features + ", deployed " + deployments.stream().map(Deployment::layout).toList();
  }

  /** Plays the world, then ends the faults and waits until no work is left. */
  @Override
  public void play() {
    putForeign();
    Clients clients = clients();
    if (faults.random.nextInt(100) == 0) {
      clients.work(CounterPath.of("c0"), LONG_WRITES);
    } else {
      work(clients, "c");
    }
    if (has(Feature.POLLS)) {
      work(clients, "q");
    }
    if (deployments.stream().anyMatch(each -> each.layout().equals(ServerTotals.POLLS))) {
      work(clients(), "p");
    }
    if (has(Feature.TOTALS_IN_DOCUMENTS)) {
      changeDocuments();
    }
    if (has(Feature.CHANGED)) {
      turnIntoPollsAndBack();
    }
    mistakeSettings(clients);
    LibraryUsers library = new LibraryUsers(world);
    if (has(Feature.LIBRARY_USERS)) {
      library.work(1 + faults.random.nextInt(MAX_CALLS));
    }
    time.pass(FAULTY);
    if (faults.counts.isEmpty()) {
      checkFresh();
      if (!has(Feature.POLLS)) {
        checkWork();
      }
    }

    if (has(Feature.LOST_EVENTS)) {
      removeRollups();
    }
    faults.switchOff();
    time.run(
        UNTIL_QUIET,
        () -> users.stream().allMatch(Clients::areDone) && library.isDone() && !hasPending());
    strangers.ifPresent(this::removeTotals);
    time.run(untilSettled(), this::isQuiet);
    if (has(Feature.CHANGED) && totals.counters().stream().anyMatch(ServerTotals::isPolled)) {
      sweep(ServerTotals.POLLED); // as deploy does, once the old instances have gone
    }
    if (has(Feature.LOST_EVENTS)) {
      time.pass(Timing.LONGEST_CALL); // a write that its client has given up may still take effect
      checkSweep();
    } else if (faults.counts.isEmpty()) {
      history.checkFaultless();
    }
    checkQuiet();
    library.check();
    checkIdle();
    checkFreshAfterFaults(clients);
  }

  /** Checks that earlier faults do not delay a new change. */
  private void checkFreshAfterFaults(Clients clients) {
    history.maxLag = Duration.ZERO;
    history.maxPolledLag = Duration.ZERO;
    history.maxLargeLag = Duration.ZERO;
    clients.work(CounterPath.of("c0"), FEW_WRITES);
    clients.work(CounterPath.of("after"), 2 * FEW_WRITES);
    if (has(Feature.POLLS)) {
      clients.work(CounterPath.of("q0"), 2 * FEW_WRITES);
    }
    time.run(UNTIL_QUIET, () -> clients.areDone() && !hasPending());
    time.run(untilSettled(), this::isQuiet);
    checkFresh();
    checkQuiet();
  }

  /**
   * An operator turns the events of a deployment into polls: RollUp first, then the trigger goes.
   * On the way back, the trigger is there first.
   */
  private void turnIntoPollsAndBack() {
    Rollers rollers =
        deployments.stream()
            .filter(each -> each.layout().equals(ServerTotals.POLLED))
            .map(Deployment::rollers)
            .findFirst()
            .orElseThrow();
    world.withoutEvents.remove(ServerTotals.POLLED);
    history.mayMissEvents = true;
    Duration polls = faults.upTo(Duration.ofSeconds(30));
    Duration silent = polls.plus(faults.upTo(Duration.ofSeconds(10)));
    Duration events = silent.plusSeconds(5).plus(faults.upTo(Duration.ofSeconds(20)));
    Duration rolls = events.plus(faults.upTo(Duration.ofSeconds(10)));
    time.after(polls, () -> rollers.poll(Optional.of(features.poll())));
    time.after(silent, () -> world.withoutEvents.add(ServerTotals.POLLED));
    time.after(events, () -> world.withoutEvents.remove(ServerTotals.POLLED));
    time.after(rolls, () -> rollers.poll(Optional.empty()));
  }

  private Clients clients() {
    Clients made = new Clients(world);
    users.add(made);
    return made;
  }

  private void work(Clients clients, String name) {
    int writes = faults.random.nextBoolean() ? FEW_WRITES : MAX_WRITES;
    int counters = 1 + faults.random.nextInt(MAX_COUNTERS);
    for (int i = 0; i < counters; i++) {
      clients.work(CounterPath.of(name + i), 1 + faults.random.nextInt(writes));
    }
  }

  /**
   * The counters' own documents are there or not; some come, go and are replaced meanwhile, by
   * others with something else in the field's place, too, or are locked for a while.
   */
  private void changeDocuments() {
    Random random = new Random(seed); // leaves all else as it is
    for (String name : List.of("c0", "c1", "c2", "q0", "q1", "q2", "after")) {
      CounterPath counter = CounterPath.of(name);
      String own = ServerTotals.layoutOf(counter).counterDocument(counter);
      boolean stays =
          has(Feature.LOST_EVENTS)
              || ServerTotals.isPolled(counter); // a sweep, or a poll, finds it by that
      if (stays || random.nextBoolean()) {
        world.put(own, Map.of());
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        int what = random.nextInt(5);
        int obstacle = random.nextInt(AppDocuments.OBSTACLES.size());
        time.after(
            Duration.ofMillis(random.nextLong(FAULTY.minus(LOCK).toMillis())),
            () -> {
              switch (what) {
                case 1 -> world.put(own, AppDocuments.OBSTACLES.get(obstacle));
                case 2 -> world.appDocuments.hold(counter, LOCK);
                case 3 -> world.put(own, Map.of("stats", Map.of("likes", 1_234L)));
                default -> {
                  if (what == 0 && !stays) {
                    world.delete(own);
                  } else {
                    world.put(own, Map.of());
                  }
                }
              }
            });
      }
    }
  }

  /**
   * Shards lose their fields; functions with other settings get events, too, run and sweep. The
   * database throws if they write what is not theirs.
   */
  private void mistakeSettings(Clients clients) {
    Random random = faults.aside;
    if (faults.happens(Faults.Kind.SHARDS_WITHOUT_FIELD, 0.1, random)) {
      time.after(duringFaults(), () -> clients.dropFields(CounterPath.of("c0")));
    }
    if (faults.happens(Faults.Kind.OTHER_SETTINGS, 0.2, random)) {
      boolean collection = random.nextBoolean();
      if (collection) { // so their sums are those of other shards
        world.put("counters/c0/parts/0", Map.of("count", 700L));
      }
      Layout other =
          new Layout(
              Layout.DEFAULT.counters() + "/{counter}/" + (collection ? "parts" : "shards"),
              "rollups",
              collection ? "count" : "Cnt");
      World.Instance instance = world.instance();
      ShardWrites writes = world.handler(instance, other, deployments.get(0).rollers());
      for (int i = 0; i < 20; i++) {
        CounterId counter = world.entry(other).counter(CounterPath.of("c" + i % MAX_COUNTERS));
        time.after(
            duringFaults(),
            () -> instance.execute(() -> swallow(writes.written(deleted(counter)))));
      }
      time.after(duringFaults(), () -> swallow(world.beginSweep(other)));
      Rollers rollers = new Rollers(world, other);
      strangers = Optional.of(new Deployment(other, rollers, deployments.get(0).deliveries()));
      for (int i = 0; i < 3; i++) {
        int worker = random.nextInt(WORKERS);
        time.after(duringFaults(), () -> rollers.start(/* wakeUp= */ false, worker));
      }
    }
  }

  /**
   * They are gone, and an operator removes the totals that they have made. Then the next write of
   * each counter makes its own. The pass after that begins anew, wherever their sweeps have ended.
   */
  private void removeTotals(Deployment gone) {
    time.run(UNTIL_SETTLED, () -> gone.rollers().running == 0 && world.underWay == 0);
    ShardWrites handler =
        world.handler(world.instance(), Layout.DEFAULT, deployments.get(0).rollers());
    for (Document each : world.server.list("rollups")) {
      CounterPath counter = CounterPath.of(SimulatedServer.id(each.getName()));
      if (ServerTotals.isMarked(each, gone.layout(), counter)) {
        world.delete(SimulatedServer.path(each));
      }
    }
    world.delete(Layout.runDocument(Layout.DEPLOYMENT, "sweep-counters"));
    time.pass(Timing.LONGEST_CALL);
    totals.counters().stream()
        .filter(counter -> totals.rollup(counter).isEmpty())
        .filter(counter -> ServerTotals.layoutOf(counter).equals(Layout.DEFAULT))
        .map(world.entry(Layout.DEFAULT)::counter)
        .forEach(counter -> swallow(handler.written(deleted(counter))));
  }

  private static ShardWrite deleted(CounterId counter) {
    return new ShardWrite(counter, "0", Optional.empty(), Optional.empty());
  }

  private Duration duringFaults() {
    return Duration.ofMillis(faults.aside.nextLong(FAULTY.toMillis()));
  }

  private static void swallow(@Nullable Object unused) {}

  private void sweep(Layout layout) {
    time.pass(Timing.LONGEST_CALL); // a write that its client has given up may still take effect
    world.sweep(layout);
    time.run(untilSettled(), this::isQuiet);
  }

  /**
   * Puts documents of others, with all fields of a roll-up, some copied from that of another
   * counter, into a counter's roll-up's place or one without a counter; a server's field into a
   * roll-up; and a run document of others. The database throws if the functions write them.
   */
  private void putForeign() {
    if (faults.happens(Faults.Kind.FOREIGN_DOCUMENT, 0.1)) {
      Instant longAgo = time.now().minusSeconds(600);
      Map<String, Object> fields = new HashMap<>();
      fields.putAll(Map.of("count", 5L, "shards", 1L, "as_of", longAgo));
      if (faults.random.nextBoolean()) {
        fields.put("live_until", longAgo);
        fields.putAll(ServerTotals.mark(Layout.DEFAULT, CounterPath.of("copied")));
      }
      String id = faults.random.nextInt(3) == 0 ? "c1" : "revenue";
      Duration when = faults.random.nextBoolean() ? Duration.ZERO : faults.upTo(FAULTY);
      time.after(when, () -> world.put("rollups/" + id, fields));
    }
    if (faults.happens(Faults.Kind.FOREIGN_FIELD, 0.1)) {
      time.after(faults.upTo(FAULTY), () -> world.addField("rollups/c0"));
    }
    if (faults.happens(Faults.Kind.HANDED_OVER, 0.1)) {
      world.put("rollups/given", ServerTotals.mark(Layout.DEFAULT, CounterPath.of("given")));
    }
    if (faults.happens(Faults.Kind.FOREIGN_RUN_DOCUMENT, 0.02)) {
      world.put(Layout.runDocument(Layout.DEPLOYMENT, "0"), Map.of("of", "somebody else"));
    }
  }

  /** Removes roll-ups, as an administrator or a restore might. Then remembered leases must end. */
  private void removeRollups() {
    for (CounterPath counter : totals.counters()) {
      if (faults.happens(Faults.Kind.ROLLUP_REMOVED, 0.3)) {
        world.delete("rollups/" + counter.id());
      }
    }
    time.pass(world.timing.lease().plusSeconds(5));
  }

  private void checkSweep() {
    boolean quiet = isQuiet() && strangers.isEmpty(); // whose sweeps go on with ours
    long wrong = totals.wrong().stream().filter(each -> !isPolled(each)).count();
    int drift = history.sum("sweep.drift");
    int failed = history.sum("sweep.failed");
    deployments.forEach(each -> world.sweep(each.layout()));
    time.run(untilSettled(), this::isQuiet);
    int found = history.sum("sweep.drift") - drift;
    if (quiet && (found != wrong || history.sum("sweep.failed") > failed)) {
      throw new AssertionError(wrong + " totals were wrong, but the sweep reports " + found);
    }
  }

  private boolean isQuiet() {
    return !hasPending()
        && deployments.stream().allMatch(this::isAtRest)
        && strangers.stream().allMatch(each -> each.rollers().running == 0)
        && world.isQuiet()
        && totals.wrong().stream().noneMatch(this::isPolledWithShards);
  }

  /** With polls in between, a run stays as long as there are counters. */
  private boolean isAtRest(Deployment deployment) {
    return deployment.rollers().running == 0
        || deployment.rollers().poll().map(world::polling).stream()
            .anyMatch(timing -> !timing.isLeftToSchedule());
  }

  /** Held totals have longer leases, and so have those with long ticks. */
  private Duration untilSettled() {
    Duration most = UNTIL_SETTLED.plus(world.timing.hold().multipliedBy(3)).plus(otherPolls());
    if (has(Feature.TICK_OF_A_MINUTE)) {
      most = most.plus(world.timing.lease());
    } else if (has(Feature.LARGE)) {
      most = most.plus(world.timing.hold()).plus(RunSettings.SCHEDULE.multipliedBy(4));
    } else {
      return most;
    }
    return most.plus(RunSettings.SCHEDULE.multipliedBy(3));
  }

  /** The time for the polls that a whole pass takes, but for one: each gets on by a part. */
  private Duration otherPolls() {
    int counters = totals.counters().size();
    int polls = counters < LEAST_CROWD ? counters + 1 : counters * FEW / FEW_OF_A_CROWD + 1;
    return has(Feature.IN_PARTS) ? RunSettings.SCHEDULE.multipliedBy(polls) : Duration.ZERO;
  }

  private boolean isPolledWithShards(CounterPath counter) {
    return isPolled(counter) && !totals.shards(counter).isEmpty();
  }

  /** Whether its writes make no events now. */
  private boolean isPolled(CounterPath counter) {
    return world.withoutEvents.contains(ServerTotals.layoutOf(counter));
  }

  private boolean hasPending() {
    return deployments.stream().anyMatch(each -> each.deliveries().pending() > 0);
  }

  /**
   * Without faults, a change shows within a tick and the time for messages and calls. A tick more
   * goes by when a handler makes a counter live again while the roller settles it. If commits
   * become visible late, the replies to a write, and to a refused write after it, also come late.
   */
  private void checkFresh() {
    Duration minute = has(Feature.LARGE) ? RunSettings.SCHEDULE : Duration.ZERO;
    Duration most =
        world
            .timing
            .tick()
            .multipliedBy(2)
            .plus(minute)
            .plus(CALLS)
            .plus(faults.lateness.multipliedBy(2))
            .plus(has(Feature.TOTALS_IN_DOCUMENTS) ? LOCKED : Duration.ZERO);
    if (history.maxLag.compareTo(most.plus(world.timing.hold())) > 0) {
      throw new AssertionError("a change was shown only after " + history.maxLag);
    }
    if (history.maxLargeLag.compareTo(most) > 0) {
      throw new AssertionError("a large change was shown only after " + history.maxLargeLag);
    }
    // An instance that has just started finds one counter after another.
    Duration finding = A_JUMP.multipliedBy(totals.counters().size());
    // One that is new, or has had no shard for a moment, is found within a minute.
    Duration untilPolled = RunSettings.SCHEDULE.plus(features.poll());
    Duration polled =
        most.plus(untilPolled).plus(otherPolls()).plus(finding).plus(world.timing.hold());
    boolean isChanging = has(Feature.CHANGED) && faults.counts.isEmpty();
    if (!isChanging && history.maxPolledLag.compareTo(polled) > 0) {
      throw new AssertionError("a polled change was shown only after " + history.maxPolledLag);
    }
  }

  /**
   * Without faults, a write of a shard costs at most one write of the roll-up, by the handler or
   * the roller, and one more to settle. A roller works for the ticks that show a change, for a
   * lease after the last of them, and for some ticks more; with ticks of a minute, for some calls.
   */
  private void checkWork() {
    long writes = history.shardWrites;
    long begins = totals.begins;
    Timing timing = world.timing;
    // A counter whose document is locked is settled up to three times in vain.
    long owed = 3L * world.appDocuments.holds;
    atMost("writes of roll-ups", totals.rollupWrites, 2 * writes + owed);
    Duration held = timing.hold().plus(timing.tick()).multipliedBy(timing.holds() ? 3 : 0);
    // A large counter may become small, and then keeps its long lease.
    Duration longer = has(Feature.LARGE) ? RunSettings.SCHEDULE.multipliedBy(2) : timing.lease();
    Duration tail = longer.plus(held).plus(timing.slack()).plus(timing.tick().multipliedBy(6));
    Duration alive = Duration.ZERO;
    int wakeUps = 0;
    int messages = 0;
    for (Deployment deployment : deployments) {
      alive = alive.plus(deployment.rollers().alive());
      wakeUps += deployment.rollers().wakeUps.size();
      messages += deployment.rollers().messages;
      long beside = deployment.rollers().besideEachOther().toMillis();
      atMost("milliseconds beside another run", beside, timing.tick().plus(CALLS).toMillis());
    }
    Duration most =
        has(Feature.TICK_OF_A_MINUTE)
            ? CALLS.plus(faults.lateness.multipliedBy(2)).multipliedBy(messages)
            : tail.multipliedBy(begins + owed).plus(timing.tick().multipliedBy(writes));
    atMost("milliseconds alive", alive.toMillis(), most.plusSeconds(1).toMillis());
    long ticks = alive.dividedBy(timing.tick()) + begins + 5;
    long counters = totals.seen.size();
    atMost("sums", world.calls.of(Call.SUM), 2 * writes + ticks * counters);
    // After a takeover, each unchanged sum costs a read for as long as a lease, which `hold` makes
    // long.
    long again = timing.holds() ? ticks * counters : 0;
    atMost("reads of roll-ups", world.calls.of(Call.READ), 3 * writes + 4 * begins + again);
    atMost("looks at the list", world.calls.of(Call.LIVE_SINCE), ticks + begins);
    atMost("reads of run documents", world.calls.of(Call.READ_RUN), ticks + 3 * begins + 3);
    long kept = alive.toSeconds() / 10 + 3 * begins + 3;
    atMost("claims of run documents", world.calls.of(Call.CLAIM_RUN), kept);
    // A new roll-up needs no wake-up; a run that comes to its deadline sends one.
    atMost("wake-ups", wakeUps, begins - totals.created + (long) WORKERS * deployments.size());
  }

  private static void atMost(String what, long found, long most) {
    if (found > most) {
      throw new AssertionError("%s: at most %d expected, %d found".formatted(what, most, found));
    }
  }

  private void checkQuiet() {
    if (!isQuiet()) {
      throw new AssertionError("not quiet " + UNTIL_SETTLED + " after the last event");
    }
    if (has(Feature.POLLS) || has(Feature.TOTALS_IN_DOCUMENTS)) {
      // The sweep removes roll-ups of polled counters, and writes the fields of new documents,
      // whose
      // roll-ups it makes, which the next run settles.
      deployments.forEach(each -> world.sweep(each.layout()));
      time.run(untilSettled(), this::isQuiet);
    }
    world.checkExact();
  }

  private void checkIdle() {
    long before = totals.rollupWrites;
    long changes = history.shardWrites;
    time.pass(Duration.ofMinutes(2));
    // A late write that the network repeats is allowed.
    if (totals.rollupWrites != before && history.shardWrites == changes) {
      throw new AssertionError("writes while idle: " + (totals.rollupWrites - before));
    }
  }
}
