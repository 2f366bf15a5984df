package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A whole deployment in one thread: clients, database, events, handlers, rollers and their
 * schedule, all of them drawn from one seed.
 */
final class SeededWorld implements Seeds.Play {
  static final Lanes LANES = new Lanes(4, 2);
  private static final int MAX_COUNTERS = 3;
  private static final int MAX_WRITES = 60;
  private static final int MAX_CALLS = 40;

  /** Busy for longer than a run. */
  private static final int LONG_WRITES = 200;

  /** A mistake near the end is not made good by what follows. */
  private static final int FEW_WRITES = 8;

  private static final Duration FAULTY = Duration.ofSeconds(80);
  private static final Duration FRESH = Duration.ofSeconds(2);
  private static final Duration UNTIL_QUIET = Duration.ofHours(26);

  /** The next schedule, a lease, what its run waits for when idle, and some calls. */
  private static final Duration UNTIL_SETTLED = Duration.ofSeconds(90);

  private final long seed;
  private final Faults faults;
  private final World world;
  private final VirtualTime time;
  private final Database database;
  private final History history;
  private final List<Clients> users = new ArrayList<>();
  private final boolean losing;
  private final List<Deployment> deployments = new ArrayList<>();

  /** The functions of one layout. */
  private record Deployment(Layout layout, Rollers rollers, Deliveries deliveries) {}

  /** One in four of each level of faults. */
  static boolean hasLibraryUsers(long seed) {
    return seed / 4 % 4 == 0;
  }

  SeededWorld(long seed) {
    this.seed = seed;
    faults = new Faults(seed, (seed % 4) / 2.0);
    boolean late = faults.random.nextInt(4) == 0;
    faults.lateness = late ? Duration.ofMillis(1_500) : Duration.ZERO;
    Duration slack = Duration.ofSeconds(late ? 2 : faults.random.nextInt(2));
    losing = faults.random.nextInt(5) == 0;
    Timing timing = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), slack);
    world = new World(faults, timing, LANES, this::clockError);
    time = world.time;
    database = world.database;
    history = world.history;
    deployments.add(deploy(Layout.DEFAULT));
    if (faults.random.nextInt(8) == 0) {
      deployments.add(deploy(Database.POLLS));
    }
  }

  private Duration clockError() {
    long most = faults.random.nextInt(10) == 0 ? 86_400_000 : 500;
    return Duration.ofMillis((long) ((faults.random.nextDouble() - 0.5) * 2 * most));
  }

  private Deployment deploy(Layout layout) {
    Rollers rollers = new Rollers(world, layout);
    rollers.everyMinute();
    return new Deployment(layout, rollers, new Deliveries(world, layout, rollers, losing));
  }

  @Override
  public World world() {
    return world;
  }

  /** Lets it all happen, then ends the faults and waits until nothing is left to do. */
  @Override
  public void play() {
    putForeign();
    Clients clients = clients(deployments.get(0));
    if (faults.random.nextInt(100) == 0) {
      clients.work(CounterPath.of("c0"), LONG_WRITES);
    } else {
      work(clients, "c");
    }
    if (deployments.size() > 1) {
      work(clients(deployments.get(1)), "p");
    }
    LibraryUsers library = new LibraryUsers(world, deployments.get(0).deliveries()::publish);
    if (hasLibraryUsers(seed)) {
      library.work(1 + faults.random.nextInt(MAX_CALLS));
    }
    time.pass(FAULTY);
    checkFresh();
    checkWork();

    if (losing) {
      removeRollups();
    }
    faults.switchOff();
    time.run(
        UNTIL_QUIET,
        () -> users.stream().allMatch(Clients::areDone) && library.isDone() && !hasPending());
    time.run(UNTIL_SETTLED, this::isQuiet);
    if (losing) {
      checkSweep();
    } else if (faults.counts.isEmpty()) {
      history.checkFaultless();
    }
    checkQuiet();
    library.check();
    checkIdle();
  }

  private Clients clients(Deployment deployment) {
    Clients made = new Clients(world, deployment.deliveries());
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
   * Documents of others, with all the fields of a roll-up, in places where no counter is, or where
   * a counter's roll-up would be; a field of a server in a roll-up; a run document of others. The
   * database fails whoever writes them.
   */
  private void putForeign() {
    if (faults.happens(Faults.Kind.FOREIGN_DOCUMENT, 0.1)) {
      Instant longAgo = time.now().minusSeconds(600);
      Optional<Lease> lease =
          faults.random.nextBoolean()
              ? Optional.of(new Lease(longAgo, faults.random.nextInt(LANES.lanes())))
              : Optional.empty();
      String id = faults.random.nextInt(3) == 0 ? "c1" : "revenue";
      database.putForeign(
          CounterPath.of(id), new Rollup(new Total.Whole(5), 1, longAgo, lease, longAgo));
    }
    if (faults.happens(Faults.Kind.FOREIGN_FIELD, 0.1)) {
      time.after(faults.upTo(FAULTY), () -> database.addField(CounterPath.of("c0")));
    }
    if (faults.happens(Faults.Kind.FOREIGN_RUN_DOCUMENT, 0.02)) {
      database.foreignRuns.add(Layout.DEFAULT.runDocument(0));
    }
  }

  /** As an administrator might, or a restore. Leases that handlers remember must run out first. */
  private void removeRollups() {
    for (CounterPath counter : database.counters()) {
      if (faults.happens(Faults.Kind.ROLLUP_REMOVED, 0.3)) {
        database.removeRollup(counter);
      }
    }
    time.pass(world.timing.lease().plusSeconds(5));
  }

  private void checkSweep() {
    boolean quiet = isQuiet();
    long wrong = database.wrong().size();
    deployments.forEach(each -> world.sweep(each.layout(), each.rollers()));
    time.run(UNTIL_SETTLED, this::isQuiet);
    if (quiet && (history.sum("sweep.drift") != wrong || history.sum("sweep.failed") != 0)) {
      throw new AssertionError(
          wrong + " totals were wrong, but the sweep reports " + history.sum("sweep.drift"));
    }
  }

  private boolean isQuiet() {
    return !hasPending()
        && deployments.stream().allMatch(each -> each.rollers().running == 0)
        && database.isQuiet();
  }

  private boolean hasPending() {
    return deployments.stream().anyMatch(each -> each.deliveries().pending() > 0);
  }

  /**
   * Without faults, a change shows within a tick, and the time that messages and calls take. Late
   * commits excepted: a new run that reads a roll-up's version before last believes in it for a
   * while.
   */
  private void checkFresh() {
    boolean strict = faults.counts.isEmpty() && faults.lateness.isZero();
    if (strict && history.maxLag.compareTo(FRESH) > 0) {
      throw new AssertionError("a change was shown only after " + history.maxLag);
    }
  }

  /**
   * Without faults, a write of a shard costs a write of the roll-up at most, by the handler or by
   * the roller; and each of these at most one more, to settle.
   */
  private void checkWork() {
    if (faults.counts.isEmpty() && database.rollupWrites > 2 * history.shardWrites) {
      throw new AssertionError(
          "%d writes of shards, but %d of roll-ups"
              .formatted(history.shardWrites, database.rollupWrites));
    }
  }

  private void checkQuiet() {
    if (!isQuiet()) {
      throw new AssertionError("not quiet " + UNTIL_SETTLED + " after the last event");
    }
    world.checkExact();
  }

  private void checkIdle() {
    long before = database.rollupWrites;
    time.pass(Duration.ofMinutes(2));
    if (database.rollupWrites != before) {
      throw new AssertionError("writes while idle: " + (database.rollupWrites - before));
    }
  }
}
