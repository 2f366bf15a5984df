package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;

/**
 * A whole deployment in one thread: clients, database, events, handlers, rollers and their
 * schedule, all of them drawn from one seed.
 */
final class World {
  static final Lanes LANES = new Lanes(4, 2);
  static final Comparator<CounterPath> ORDER = Comparator.comparing(CounterPath::toString);
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
  private final Book book = new Book();
  private final VirtualTime time = new VirtualTime();
  private final Faults faults;
  private final Database database = new Database(time);
  private final Exactness exactness = new Exactness(database);
  private final History history = new History(time);
  private final Duration lateness;
  private final Timing timing;
  private final boolean losing;
  private final Deliveries deliveries;
  private final Rollers rollers;

  /** One in four of each level of faults. */
  static boolean hasLibraryUsers(long seed) {
    return seed / 4 % 4 == 0;
  }

  World(long seed) {
    this.seed = seed;
    faults = new Faults(seed, (seed % 4) / 2.0);
    boolean late = faults.random.nextInt(4) == 0;
    lateness = late ? Duration.ofMillis(1_500) : Duration.ZERO;
    Duration slack = Duration.ofSeconds(late ? 2 : faults.random.nextInt(2));
    losing = faults.random.nextInt(5) == 0;
    timing = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), slack);
    rollers = new Rollers(time, faults, this, timing);
    deliveries = new Deliveries(time, faults, this, rollers, timing, losing);
    database.onRollup(history::rollupChanged);
  }

  /**
   * Lets it all happen, then ends the faults and waits until nothing is left to do.
   *
   * @throws AssertionError if a promise was broken
   */
  void play() {
    Commits commits = new Commits(time, faults, database, lateness);
    Clients clients = new Clients(time, faults, database, deliveries, history, commits);
    if (faults.random.nextInt(100) == 0) {
      clients.work(CounterPath.of("c0"), LONG_WRITES);
    } else {
      int writes = faults.random.nextBoolean() ? FEW_WRITES : MAX_WRITES;
      int counters = 1 + faults.random.nextInt(MAX_COUNTERS);
      for (int i = 0; i < counters; i++) {
        clients.work(CounterPath.of("c" + i), 1 + faults.random.nextInt(writes));
      }
    }
    LibraryUsers users =
        new LibraryUsers(
            time,
            faults,
            database,
            new CounterServer(LibraryUsers.COUNTER, database, commits, clients));
    if (hasLibraryUsers(seed)) {
      users.work(1 + faults.random.nextInt(MAX_CALLS));
    }
    time.run(FAULTY, () -> false);
    checkFresh();
    checkWork();

    if (losing) {
      removeRollups();
    }
    faults.switchOff();
    time.run(UNTIL_QUIET, () -> clients.areDone() && users.isDone() && deliveries.pending() == 0);
    time.run(UNTIL_SETTLED, this::isQuiet);
    if (losing) {
      checkSweep();
    } else if (faults.counts().isEmpty()) {
      book.checkFaultless();
    }
    checkQuiet();
    users.check();
    checkIdle();
  }

  /** As an administrator might, or a restore. Leases that handlers remember must run out first. */
  private void removeRollups() {
    for (CounterPath counter : database.counters()) {
      if (faults.happens(Faults.Kind.ROLLUP_REMOVED, 0.3)) {
        database.removeRollup(counter);
      }
    }
    time.run(timing.lease().plusSeconds(5), () -> false);
  }

  private void checkSweep() {
    boolean quiet = isQuiet();
    long wrong = exactness.wrong();
    sweep();
    time.run(UNTIL_SETTLED, this::isQuiet);
    if (quiet && (book.sum("sweep.drift") != wrong || book.sum("sweep.failed") != 0)) {
      throw new AssertionError(
          wrong + " totals were wrong, but the sweep reports " + book.sum("sweep.drift"));
    }
  }

  private void sweep() {
    Instance instance = process();
    Sweep sweep =
        new Sweep(
            connect(instance),
            rollers,
            book,
            timing,
            instance,
            () -> faults.random.nextInt(LANES.lanes()));
    boolean[] swept = {false};
    instance.execute(() -> go(sweep, Sweep.Cursor.START, swept));
    time.run(UNTIL_QUIET, () -> swept[0]);
  }

  /** A part at a time: each stops after its first page. */
  private void go(Sweep sweep, Sweep.Cursor from, boolean[] swept) {
    var unused =
        sweep
            .run(from, Duration.ofMillis(1))
            .thenAccept(
                rest ->
                    rest.ifPresentOrElse(
                        cursor -> go(sweep, cursor, swept), () -> swept[0] = true));
  }

  private boolean isQuiet() {
    return deliveries.pending() == 0 && rollers.running() == 0 && database.isQuiet();
  }

  /**
   * Without faults, a change shows within a tick, and the time that messages and calls take. Late
   * commits excepted: a new run that reads a roll-up's version before last believes in it for a
   * while.
   */
  private void checkFresh() {
    boolean strict = faults.counts().isEmpty() && lateness.isZero();
    if (strict && history.maxLag().compareTo(FRESH) > 0) {
      throw new AssertionError("a change was shown only after " + history.maxLag());
    }
  }

  /**
   * Without faults, a write of a shard costs a write of the roll-up at most, by the handler or by
   * the roller; and each of these at most one more, to settle.
   */
  private void checkWork() {
    if (faults.counts().isEmpty() && database.rollupWrites() > 2 * history.shardWrites()) {
      throw new AssertionError(
          "%d writes of shards, but %d of roll-ups"
              .formatted(history.shardWrites(), database.rollupWrites()));
    }
  }

  private void checkQuiet() {
    if (!isQuiet()) {
      throw new AssertionError("not quiet " + UNTIL_SETTLED + " after the last event");
    }
    exactness.check();
  }

  private void checkIdle() {
    long before = database.rollupWrites();
    time.run(Duration.ofMinutes(2), () -> false);
    if (database.rollupWrites() != before) {
      throw new AssertionError("writes while idle: " + (database.rollupWrites() - before));
    }
  }

  Instance process() {
    long error = faults.random.nextInt(10) == 0 ? 86_400_000 : 500;
    return new Instance(
        time, Duration.ofMillis((long) ((faults.random.nextDouble() - 0.5) * 2 * error)));
  }

  SimulatedFirestore connect(Instance process) {
    return new SimulatedFirestore(database, time, faults, process, lateness);
  }

  Journal journal() {
    return book;
  }

  void note(String line) {
    history.note(line);
  }

  Set<Branch> branches() {
    return faults.branches();
  }

  Map<Faults.Kind, Integer> faultCounts() {
    return faults.counts();
  }

  String history() {
    return history.lines();
  }
}
