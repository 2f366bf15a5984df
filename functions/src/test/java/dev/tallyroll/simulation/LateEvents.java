package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A counter whose events are late, all of them, and nothing else goes wrong: by a constant, by a
 * random delay, or held back in a backlog that drains at once; handled by one instance or by many,
 * with a roller that may be slow to start. While it is busy its total must be fresh all the same;
 * and its events must be cheap.
 */
final class LateEvents implements Seeds.Play {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Duration TICK = Duration.ofSeconds(1);

  /** A wake-up takes up to 0.2 s, a run hears of its successor within 0.3 s, calls take 10 ms. */
  private static final Duration CALLS = Duration.ofMillis(600);

  private static final Timing TIMING = new Timing(TICK, Duration.ofSeconds(5), Duration.ZERO);
  private static final int MAX_DELAY = 30_000;

  /** A message, a lease, and what a run waits for when idle. */
  private static final Duration UNTIL_SETTLED = Duration.ofSeconds(90);

  /** Each instance may read a roll-up or sum now and then, but not once an event. */
  private static final int CALLS_PER_INSTANCE = 20;

  /** The same while the counter is never live: its total covers what comes late. */
  private static final int CALLS_OF_TOTAL = 6;

  /** Up to so many, each sees events that are close to each other. */
  private static final int FEW = 3;

  private static final int MANY = 1_000;
  private static final int BACKLOG = 2;

  /** Increments a second at which nearly every sum shows a change. */
  private static final int LEAST_RATE = 4;

  private final Faults faults;
  private final World world;
  private final VirtualTime time;
  private final Database database;
  private final List<ShardWrites> handlers = new ArrayList<>();
  private final List<SimulatedFirestore> connections = new ArrayList<>();
  private final TreeMap<Instant, Instant> unseen = new TreeMap<>();
  private final Duration delay;
  private final Duration slowStart;
  private final boolean sparse;
  private final Instant began;
  private Optional<Instant> live = Optional.empty();
  private int events;
  private int pending;

  LateEvents(long seed) {
    faults = new Faults(seed, /* level= */ 0);
    delay = Duration.ofMillis(faults.random.nextInt(MAX_DELAY));
    world = new World(faults, TIMING, SeededWorld.LANES, this::clockError);
    time = world.time;
    database = world.database;
    Rollers rollers = new Rollers(world, Layout.DEFAULT);
    rollers.everyMinute();
    slowStart = Duration.ofMillis(faults.random.nextBoolean() ? 0 : faults.random.nextInt(8_000));
    rollers.slowStart = slowStart;
    sparse = faults.random.nextInt(5) == 0;
    int instances = faults.random.nextInt(4) == 0 ? MANY : 1 + faults.random.nextInt(FEW);
    for (int i = 0; i < instances; i++) {
      SimulatedFirestore connection = world.connect(world.instance(), Layout.DEFAULT);
      connections.add(connection);
      handlers.add(new ShardWrites(connection, rollers, world.history, TIMING, () -> 0));
    }
    began = time.now();
    database.onRollup(this::rollupChanged);
  }

  private Duration clockError() {
    return Duration.ofMillis(faults.random.nextInt(1_000) - 500L);
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public void play() {
    if (sparse) {
      write(Duration.ofMillis(20));
      time.pass(UNTIL_SETTLED);
    }
    // Sparse writes all come in the backlog: prompt ones behind it would each be read for.
    Duration span = sparse ? delay : Duration.ofSeconds(10 + faults.random.nextInt(40));
    int spread = faults.random.nextInt(3) == 0 ? 2 : 40;
    Duration pause =
        sparse
            ? TICK.plusMillis(faults.random.nextInt(1_000))
            : Duration.ofSeconds(1).dividedBy(LEAST_RATE + faults.random.nextInt(spread));
    int kind = sparse ? BACKLOG : faults.random.nextInt(3);
    for (int i = 0; pause.multipliedBy(i).compareTo(span) < 0; i++) {
      Duration at = pause.multipliedBy(i);
      Duration late =
          switch (kind) {
            case 0 -> delay;
            case 1 -> faults.upTo(delay.plusMillis(1));
            default -> at.compareTo(delay) < 0 ? drained(at) : Duration.ofMillis(20);
          };
      time.after(at, () -> write(late));
    }
    time.pass(span);
    time.run(delay.plus(slowStart).plus(UNTIL_SETTLED), () -> pending == 0 && database.isQuiet());
    check(pending == 0 && database.isQuiet(), "not quiet");
    check(unseen.isEmpty(), unseen.size() + " increments were never shown");
    world.checkExact();
    int calls = connections.stream().mapToInt(each -> each.calls(Call.READ, Call.SUM)).sum();
    int most = handlers.size() * (sparse ? CALLS_OF_TOTAL : CALLS_PER_INSTANCE) + events / 20;
    check(calls <= most, calls + " reads and sums for " + events + " events, more than " + most);
  }

  /** At once, or one after the other, so that events do not share their work. */
  private Duration drained(Duration at) {
    Duration atOnce = delay.minus(at);
    return sparse ? atOnce.plus(faults.upTo(Duration.ofSeconds(5))) : atOnce;
  }

  private void write(Duration late) {
    Instant committed = world.put(LIKES, new Total.Whole(events + 1));
    unseen.put(committed, committed);
    events++;
    pending++;
    ShardWrites handler = handlers.get(faults.random.nextInt(handlers.size()));
    time.after(late, () -> deliver(handler, committed));
  }

  private void deliver(ShardWrites handler, Instant committed) {
    var unused =
        handler
            .written(LIKES, Optional.of(committed))
            .whenComplete(
                (none, failure) -> {
                  check(failure == null, "an event failed: " + failure);
                  pending--;
                });
  }

  /** Each increment that it shows has waited no longer than promised. */
  private void rollupChanged(CounterPath counter, Optional<Rollup> rollup) {
    world.history.rollupChanged(counter, rollup);
    Rollup shown = rollup.orElseThrow();
    if (sparse) {
      boolean isLive = shown.lease().map(Lease::until).filter(time.now()::isBefore).isPresent();
      check(!isLive, "live for writes that are far apart, and in the total");
      unseen.headMap(shown.asOf(), true).clear();
      return;
    }
    if (live.isEmpty()
        && shown.lease().map(Lease::until).filter(time.now()::isBefore).isPresent()) {
      live = Optional.of(time.now());
      Duration since = Duration.between(began, time.now());
      check(since.compareTo(untilLive()) <= 0, "live only after " + since);
    }
    Map<Instant, Instant> seen = unseen.headMap(shown.asOf(), true);
    seen.keySet().forEach(this::checkFresh);
    seen.clear();
  }

  private void checkFresh(Instant committed) {
    Duration lag = Duration.between(committed, time.now());
    boolean wasLive =
        live.map(since -> since.plus(slowStart))
            .filter(since -> !since.isAfter(committed))
            .isPresent();
    Duration most = wasLive ? TICK.plus(CALLS) : untilLive().plus(slowStart);
    check(
        lag.compareTo(most) <= 0,
        "an increment %s live was shown only after %s, with events up to %s late"
            .formatted(wasLive ? "once" : "before it was", lag, delay));
  }

  /** One delay and two ticks; two delays where the events of a burst meet in no instance. */
  private Duration untilLive() {
    Duration delays = handlers.size() > FEW ? delay.multipliedBy(2) : delay;
    return delays.plus(TICK.multipliedBy(2)).plus(CALLS);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
