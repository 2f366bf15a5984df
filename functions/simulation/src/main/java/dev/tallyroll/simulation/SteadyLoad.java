package dev.tallyroll.simulation;

import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** A world without faults, with increments at random times at a steady rate. */
abstract class SteadyLoad {
  private static final int WANTED_INCREMENTS = 20_000;
  private static final Duration SHORTEST = Duration.ofMinutes(4);
  private static final Duration LONGEST = Duration.ofDays(4);

  /** In this time, scheduled runs settle all new roll-ups. */
  private static final Duration WARM_UP = Duration.ofMinutes(3);

  private static final long MAX_STEPS = 100_000_000;
  private static final Duration MONTH = Duration.ofDays(30);
  private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

  final World world;
  final Random random;
  final BilledInstances handlers;
  final int instances;
  private final double rate;
  private final Assumed assumed;
  private boolean goesOn = true;

  /** The number of increments so far. */
  long increments;

  /**
   * @param rate increments a second of all counters together
   */
  SteadyLoad(double rate, RunSettings settings, Assumed assumed, long seed) {
    this.rate = rate;
    this.assumed = assumed;
    world = new World(new Faults(seed, /* level= */ 0), settings, () -> Duration.ZERO);
    world.time.maxSteps = MAX_STEPS;
    world.faults.leg = assumed.leg();
    random = new Random(seed);
    instances = needed(rate, assumed);
    handlers = new BilledInstances(world.time, assumed, instances);
  }

  /** The number of instances of OnShardWritten that so many increments a second need. */
  static int needed(double rate, Assumed assumed) {
    return Math.max(1, (int) Math.ceil(rate / assumed.eventsPerInstance()));
  }

  /** The time rounded up to slots; zero if an already billed slot covers it. */
  static Duration inSlots(Duration took, Duration slot) {
    return took.isNegative() || took.isZero()
        ? Duration.ZERO
        : slot.multipliedBy((took.toNanos() + slot.toNanos() - 1) / slot.toNanos());
  }

  /** Begins the schedule, and makes what is there before the first increment. */
  abstract void begin();

  /** Increments any counter. */
  abstract void increment();

  /** The amounts so far. */
  abstract Usage measured();

  /** Sweeps everything, and checks the totals. */
  abstract void sweepAll();

  /** Delivers an event to any of the instances. */
  final void deliver(IntFunction<CompletableFuture<Void>> handle) {
    int instance = random.nextInt(instances);
    world.time.after(
        assumed.delay(), () -> handlers.handle(instance, () -> handle.apply(instance)));
  }

  /**
   * The amounts of a month.
   *
   * @param share of all counters that one of the hourly sweeps looks at
   */
  final Usage month(double share) {
    return steady().plus(sweep(), share * MONTH.dividedBy(BETWEEN_SWEEPS));
  }

  /** The amounts after a warm-up, scaled to a month. */
  final Usage steady() {
    begin();
    next();
    world.time.pass(WARM_UP);
    Usage before = measured();
    Duration span = span();
    world.time.pass(span);
    return Usage.NOTHING.plus(
        measured().plus(before, -1), (double) MONTH.toMillis() / span.toMillis());
  }

  private Duration span() {
    long minutes = (long) (WANTED_INCREMENTS / rate) / 60;
    return Duration.ofMinutes(
        Math.min(Math.max(minutes, SHORTEST.toMinutes()), LONGEST.toMinutes()));
  }

  private void next() {
    double seconds = -StrictMath.log(1 - random.nextDouble()) / rate;
    world.time.after(
        Duration.ofNanos((long) (seconds * 1e9)),
        () -> {
          if (goesOn) {
            increment();
            next();
          }
        });
  }

  /** The amounts of one sweep over everything, without increments. */
  private Usage sweep() {
    goesOn = false;
    world.time.pass(world.timing.lease().multipliedBy(2).plusMinutes(1));
    Usage before = measured();
    Instant began = world.time.now();
    sweepAll();
    Duration took = inSlots(Duration.between(began, world.time.now()), assumed.slot());
    Usage with = measured().plus(before, -1);
    return new Usage(
        0,
        0,
        with.sums(),
        with.reads(),
        with.writes(),
        with.deletes(),
        /* shown= */ 0,
        /* handler= */ 0,
        took.toMillis() / 1e3,
        /* messages= */ 1,
        with.lines(),
        /* lag= */ 0);
  }
}
