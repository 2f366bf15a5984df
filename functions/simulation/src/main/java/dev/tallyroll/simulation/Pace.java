package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Plays counters with random increments at a steady rate, and counts the billed amounts of the
 * functions. It runs the product's own code in virtual time, without faults.
 *
 * @param counters the number of counters
 * @param rate increments a second of each counter
 * @param polled whether no trigger watches the counters
 * @param settings the functions' settings
 * @param assumed assumptions about the platform
 */
public record Pace(
    int counters, double rate, boolean polled, RunSettings settings, Assumed assumed) {
  private static final int WANTED_INCREMENTS = 20_000;

  /** The totals at the start: what PRECISION lets through depends on them. */
  private static final long TOTAL = 1_000_000;

  private static final Duration SHORTEST = Duration.ofMinutes(4);
  private static final Duration LONGEST = Duration.ofDays(4);

  /** In this time, all counters are created, one after another. */
  private static final Duration CREATION = Duration.ofMinutes(1);

  /** In this time, scheduled runs settle all new roll-ups. */
  static final Duration WARM_UP = Duration.ofMinutes(3);

  static final long MAX_STEPS = 100_000_000;
  static final Duration MONTH = Duration.ofDays(30);
  static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

  /**
   * Assumptions about the platform.
   *
   * @param delay of an event, from the commit to the function
   * @param leg of a call: half of the shortest time of an answer by Firestore
   * @param itself the time of a function for an event or a message without calls
   * @param slot the unit of time in which instances are billed
   * @param eventsPerInstance the events that an instance of OnShardWritten handles in a second
   */
  public record Assumed(
      Duration delay, Duration leg, Duration itself, Duration slot, int eventsPerInstance) {
    public static final Assumed OF_THE_PLATFORM =
        new Assumed(
            Duration.ofMillis(50),
            Duration.ofMillis(15),
            Duration.ofMillis(1),
            Duration.ofMillis(100),
            1_000);
  }

  /**
   * The billed amounts of 30 days.
   *
   * @param increments writes of shards
   * @param events as many, unless the counters are polled; each is a request to OnShardWritten
   * @param sums sums of a counter's shards; each is billed as a read for each 1,000 shards
   * @param reads documents read by get or query
   * @param shown writes of roll-ups, each of which every listener reads
   * @param handler billed seconds of OnShardWritten's instances
   * @param roller billed seconds of RollUp's instances, sweeps included
   * @param messages to RollUp
   * @param lines log lines of the functions
   * @param lag the longest time in seconds that a total was behind its shards
   */
  public record Usage(
      double increments,
      double events,
      double sums,
      double reads,
      double writes,
      double deletes,
      double shown,
      double handler,
      double roller,
      double messages,
      double lines,
      double lag) {
    public static final Usage NOTHING = new Usage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Adds the amounts of the other so many times; takes the larger lag. */
    public Usage plus(Usage other, double times) {
      return new Usage(
          increments + times * other.increments,
          events + times * other.events,
          sums + times * other.sums,
          reads + times * other.reads,
          writes + times * other.writes,
          deletes + times * other.deletes,
          shown + times * other.shown,
          handler + times * other.handler,
          roller + times * other.roller,
          messages + times * other.messages,
          lines + times * other.lines,
          Math.max(lag, other.lag));
    }
  }

  /** The time rounded up to slots; zero if an already billed slot covers it. */
  static Duration inSlots(Duration took, Duration slot) {
    return took.isNegative() || took.isZero()
        ? Duration.ZERO
        : slot.multipliedBy((took.toNanos() + slot.toNanos() - 1) / slot.toNanos());
  }

  /** The number of instances of OnShardWritten. */
  public int instances() {
    return Math.max(1, (int) Math.ceil(rate * counters / assumed.eventsPerInstance));
  }

  /**
   * The amounts of a month. The same seed gives the same amounts.
   *
   * @throws AssertionError if a total was wrong
   */
  public Usage month(long seed) {
    Playing playing = new Playing(seed);
    Usage steady = playing.steady();
    double share = Math.min(1, settings.sweepCounters() / (2.0 * counters));
    return steady.plus(playing.sweep(), share * MONTH.dividedBy(BETWEEN_SWEEPS));
  }

  /** The amounts of {@link #month} without the hourly sweeps. */
  public Usage monthWithoutSweeps(long seed) {
    return new Playing(seed).steady();
  }

  private Duration span() {
    return span(rate * counters);
  }

  /** How long is played at so many increments a second. */
  static Duration span(double all) {
    long seconds = (long) (WANTED_INCREMENTS / all);
    Duration span = Duration.ofMinutes(Math.max(1, seconds / 60));
    return min(max(span, SHORTEST), LONGEST);
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** One world with these counters. Each increment is of a random counter at a random time. */
  private final class Playing {
    private final World world;
    private final Rollers rollers;
    private final BilledInstances handlers;
    private final List<ShardWrites> writes;
    private final Random random;
    private final List<CounterPath> paths =
        IntStream.range(0, counters)
            .mapToObj(i -> CounterPath.of((polled ? "q" : "c") + i))
            .toList();
    private final long[] counts = new long[counters];
    private long increments;
    private boolean goesOn = true;

    Playing(long seed) {
      Arrays.fill(counts, TOTAL);
      world = new World(new Faults(seed, /* level= */ 0), settings, () -> Duration.ZERO);
      world.time.maxSteps = MAX_STEPS;
      world.faults.leg = assumed.leg;
      random = new Random(seed);
      rollers = new Rollers(world, Layout.DEFAULT);
      rollers.polls = true; // by default, each scheduled run looks for polled counters
      rollers.slot = assumed.slot;
      handlers = new BilledInstances(world.time, assumed, instances());
      writes =
          IntStream.range(0, instances())
              .mapToObj(i -> world.instance())
              .map(
                  instance ->
                      new ShardWrites(
                          world.connect(instance, Layout.DEFAULT),
                          rollers,
                          world.history,
                          instance,
                          settings.timing()))
              .toList();
    }

    /** The amounts after a warm-up, scaled to a month. */
    Usage steady() {
      rollers.everyMinute();
      for (int i = 0; i < counters; i++) {
        int which = i;
        world.time.after(CREATION.multipliedBy(i).dividedBy(counters), () -> increment(which));
      }
      world.time.pass(CREATION);
      next();
      world.time.pass(WARM_UP);
      Usage before = measured();
      world.time.pass(span());
      return Usage.NOTHING.plus(
          measured().plus(before, -1), (double) MONTH.toMillis() / span().toMillis());
    }

    private void next() {
      double seconds = -StrictMath.log(1 - random.nextDouble()) / (rate * counters);
      world.time.after(
          Duration.ofNanos((long) (seconds * 1e9)),
          () -> {
            if (goesOn) {
              increment(random.nextInt(counters));
              next();
            }
          });
    }

    private void increment(int which) {
      CounterPath counter = paths.get(which);
      Instant committed = world.put(counter, new Total.Whole(++counts[which]));
      increments++;
      if (polled) {
        return;
      }
      int instance = random.nextInt(writes.size());
      world.time.after(
          assumed.delay,
          () ->
              handlers.handle(
                  instance, () -> writes.get(instance).written(counter, Optional.of(committed))));
    }

    private Usage measured() {
      Database database = world.database;
      return new Usage(
          increments,
          polled ? 0 : increments,
          world.calls(Call.SUM),
          world.calls(Call.READ, Call.READ_RUN) + database.listed + database.paged,
          database.rollupWrites + database.begins + world.calls(Call.CLAIM_RUN),
          database.ends + world.calls(Call.RELEASE_RUN, Call.REMOVE_ENTRY),
          database.rollupWrites,
          handlers.seconds(),
          rollers.billed().toMillis() / 1e3,
          rollers.messages,
          world.history.logged + rollers.messages,
          (polled ? world.history.maxPolledLag : world.history.maxLag).toMillis() / 1e3);
    }

    /** The amounts of one sweep over everything, without increments. */
    Usage sweep() {
      goesOn = false;
      world.time.pass(settings.timing().lease().multipliedBy(2).plusMinutes(1));
      Usage before = measured();
      Instant began = world.time.now();
      world.sweep(Layout.DEFAULT);
      world.checkExact();
      Duration took = inSlots(Duration.between(began, world.time.now()), assumed.slot);
      Usage with = measured().plus(before, -1);
      return new Usage(
          0,
          0,
          with.sums,
          with.reads,
          with.writes,
          with.deletes,
          /* shown= */ 0,
          /* handler= */ 0,
          took.toMillis() / 1e3,
          /* messages= */ 1,
          with.lines,
          /* lag= */ 0);
    }
  }
}
