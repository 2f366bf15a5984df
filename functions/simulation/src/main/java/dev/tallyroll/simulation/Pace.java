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
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
  /** The totals at the start: what PRECISION lets through depends on them. */
  private static final long TOTAL = 1_000_000;

  /** In this time, all counters are created, one after another. */
  private static final Duration CREATION = Duration.ofMinutes(1);

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

  /** The number of instances of OnShardWritten. */
  public int instances() {
    return SteadyLoad.needed(rate * counters, assumed);
  }

  /**
   * The amounts of a month. The same seed gives the same amounts.
   *
   * @throws AssertionError if a total was wrong
   */
  public Usage month(long seed) {
    return new Playing(seed).month(Math.min(1, settings.sweepCounters() / (2.0 * counters)));
  }

  /** The amounts of {@link #month} without the hourly sweeps. */
  public Usage monthWithoutSweeps(long seed) {
    return new Playing(seed).steady();
  }

  private final class Playing extends SteadyLoad {
    private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
    private final List<ShardWrites> writes;
    private final List<CounterPath> paths =
        IntStream.range(0, counters)
            .mapToObj(i -> CounterPath.of((polled ? "q" : "c") + i))
            .toList();
    private final long[] counts = new long[counters];

    Playing(long seed) {
      super(rate * counters, settings, assumed, seed);
      Arrays.fill(counts, TOTAL);
      rollers.polls = true; // by default, each scheduled run looks for polled counters
      rollers.slot = assumed.slot;
      writes =
          Stream.generate(world::instance)
              .limit(instances)
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

    @Override
    void begin() {
      rollers.everyMinute();
      for (int i = 0; i < counters; i++) {
        int which = i;
        world.time.after(CREATION.multipliedBy(i).dividedBy(counters), () -> increment(which));
      }
      world.time.pass(CREATION);
    }

    @Override
    void increment() {
      increment(random.nextInt(counters));
    }

    private void increment(int which) {
      CounterPath counter = paths.get(which);
      Instant committed = world.put(counter, new Total.Whole(++counts[which]));
      increments++;
      if (!polled) {
        deliver(instance -> writes.get(instance).written(counter, Optional.of(committed)));
      }
    }

    @Override
    Usage measured() {
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

    @Override
    void sweepAll() {
      world.sweep(Layout.DEFAULT);
      world.checkExact();
    }
  }
}
