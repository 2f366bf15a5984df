package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A counter whose events are all late, without other faults. The delay is constant, random, or that
 * of a backlog that drains at once. One instance or many handle the events, and the roller may
 * start slowly. While the counter is busy its total must still be fresh, and its events must be
 * cheap.
 */
final class LateEvents implements Seeds.Play {
  private static final CounterPath LIKES = CounterPath.of("likes");

  /** The time for a wake-up, up to 0.2 s, and some calls of 10 ms. */
  private static final Duration CALLS = Duration.ofMillis(600);

  private static final int MAX_DELAY = 30_000;

  /** The time for a message, a lease, and an idle run's wait. */
  private static final Duration UNTIL_SETTLED = Duration.ofSeconds(90);

  /** The limit of an instance's reads and sums, far fewer than one an event. */
  private static final int CALLS_PER_INSTANCE = 20;

  /** Each of up to so many instances sees enough writes to make the counter live. */
  private static final int FEW = 3;

  private static final int MANY = 1_000;

  private record Handler(World.Instance instance, ShardWrites writes) {}

  private final Faults faults;
  private final World world;
  private final VirtualTime time;
  private final ServerTotals totals;
  private final Rollers rollers;
  private final List<Handler> handlers = new ArrayList<>();
  private final TreeMap<Instant, Instant> unseen = new TreeMap<>();
  private final Duration delay;
  private final Duration slowStart;
  private final Timing timing;
  private final boolean busy;
  private final Instant began;
  private Optional<Instant> live = Optional.empty();
  private boolean calm;
  private int events;
  private int pending;

  LateEvents(long seed) {
    faults = new Faults(seed, Faults.Level.NONE);
    delay = Duration.ofMillis(faults.random.nextInt(MAX_DELAY));
    Duration tick = Duration.ofMillis(500L << faults.random.nextInt(3));
    Duration lease = tick.multipliedBy(4 + faults.random.nextInt(3));
    timing = new Timing(tick, lease, Duration.ZERO, 2 + faults.random.nextInt(9));
    world = new World(faults, timing, World.settings(timing, 2), this::clockError);
    time = world.time;
    totals = world.totals;
    rollers = new Rollers(world, Layout.DEFAULT);
    rollers.everyMinute();
    slowStart = Duration.ofMillis(faults.random.nextBoolean() ? 0 : faults.random.nextInt(8_000));
    rollers.slowStart = slowStart;
    int instances = faults.random.nextInt(4) == 0 ? MANY : 1 + faults.random.nextInt(FEW);
    busy = instances <= FEW && faults.random.nextInt(4) > 0;
    for (int i = 0; i < instances; i++) {
      World.Instance instance = world.instance();
      handlers.add(new Handler(instance, world.handler(instance, Layout.DEFAULT, rollers)));
    }
    began = time.now();
    totals.onRollup(this::rollupChanged);
  }

  private Duration clockError() {
    return Duration.ofMillis(faults.random.nextInt(1_000) - 500L);
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public String features() {
    return "events up to %s late, %d instances, %s, %s, an instance of RollUp starts in %s"
        .formatted(delay, handlers.size(), busy ? "busy" : "not busy", timing, slowStart);
  }

  @Override
  public void play() {
    Duration span = Duration.ofSeconds(10 + faults.random.nextInt(40));
    Duration pause = pause();
    int kind = faults.random.nextInt(3);
    for (int i = 0; pause.multipliedBy(i).compareTo(span) < 0; i++) {
      Duration at = pause.multipliedBy(i);
      Duration late =
          switch (kind) {
            case 0 -> delay;
            case 1 -> faults.upTo(delay.plusMillis(1));
            default -> at.compareTo(delay) < 0 ? delay.minus(at) : Duration.ofMillis(20);
          };
      time.after(at, () -> write(late));
    }
    time.pass(span);
    boolean calms = busy && timing.burst() > 3 && faults.random.nextBoolean();
    if (calms) {
      calmDown();
    }
    time.run(delay.plus(slowStart).plus(UNTIL_SETTLED), () -> pending == 0 && world.isQuiet());
    check(pending == 0 && world.isQuiet(), "not quiet");
    check(unseen.isEmpty(), unseen.size() + " increments were never shown");
    world.checkExact();
    int calls =
        handlers.stream().mapToInt(each -> each.instance.calls.of(Call.READ, Call.SUM)).sum();
    int most = handlers.size() * (CALLS_PER_INSTANCE + 4 * timing.burst()) + events / 20;
    // The creation; a write during the roller's settling of the creation; now and then another
    // instance's total, which counts as a write at the time of its sum, beside that write's event.
    check(
        busy || kind > 0 || totals.begins <= 3 + events / 10,
        "live for a few writes, one after the other");
    boolean prompt = Duration.ofMillis(1).compareTo(delay) > 0;
    long rounds = prompt ? events : span.dividedBy(delay) + 2;
    check(
        busy || kind > 0 || handlers.size() > FEW || calls <= handlers.size() * (2 * rounds + 6),
        calls + " reads and sums for " + events + " events, many of them in a total before");
    check(
        !busy || calms || calls <= most,
        calls + " reads and sums for " + events + " events, more than " + most);
  }

  /** Makes two changes in a lease. The handlers then take the counter back from the roller. */
  private void calmDown() {
    calm = true;
    Duration pause = timing.lease().dividedBy(20).multipliedBy(9);
    Duration lasts = timing.lease().multipliedBy(20);
    time.pass(delay.plus(slowStart));
    Duration before = rollers.alive();
    for (int i = 0; i < lasts.dividedBy(pause); i++) {
      time.after(pause.multipliedBy(i), () -> write(Duration.ofMillis(20)));
    }
    time.pass(lasts);
    Duration alive = rollers.alive().minus(before);
    check(alive.multipliedBy(2).compareTo(lasts) < 0, "a roller was at work for " + alive);
  }

  /** The pause between writes. In a lease of a busy counter, each instance sees two bursts. */
  private Duration pause() {
    int spread = 1 + faults.random.nextInt(faults.random.nextInt(3) == 0 ? 2 : 10);
    if (busy) {
      Duration most = timing.lease().dividedBy(2L * timing.burst() * handlers.size());
      Duration half = timing.tick().dividedBy(2);
      return (most.compareTo(half) < 0 ? most : half).dividedBy(spread);
    }
    return timing.lease().dividedBy(timing.burst()).multipliedBy(1 + spread);
  }

  private void write(Duration late) {
    Instant committed = world.put(LIKES, new Total.Whole(events + 1));
    unseen.put(committed, time.now().plus(late));
    events++;
    pending++;
    Handler handler = handlers.get(faults.random.nextInt(handlers.size()));
    time.after(late, () -> handler.instance.execute(() -> deliver(handler.writes, committed)));
  }

  private void deliver(ShardWrites handler, Instant committed) {
    var unused =
        handler
            .written(world.event(LIKES, committed))
            .whenComplete(
                (none, failure) -> {
                  check(failure == null, "an event failed: " + failure);
                  pending--;
                });
  }

  /** Checks that the increments that it shows have waited no longer than promised. */
  private void rollupChanged(CounterPath counter, Optional<Rollup> rollup) {
    world.history.rollupChanged(counter, rollup);
    Rollup shown = rollup.orElseThrow();
    if (live.isEmpty() && shown.liveUntil().filter(time.now()::isBefore).isPresent()) {
      live = Optional.of(time.now());
      Duration since = Duration.between(began, time.now());
      check(!busy || since.compareTo(untilLive()) <= 0, "live only after " + since);
    }
    Map<Instant, Instant> seen = unseen.headMap(shown.asOf(), true);
    seen.forEach(this::checkFresh);
    seen.clear();
  }

  /** Checks the wait: a tick for a busy live counter, else the delay of the own event, too. */
  private void checkFresh(Instant committed, Instant delivered) {
    Duration lag = Duration.between(committed, time.now());
    boolean wasLive =
        live.map(since -> since.plus(slowStart))
            .filter(since -> busy && !calm && !since.isAfter(committed))
            .isPresent();
    Duration own = Duration.between(committed, delivered);
    Duration tick = timing.tick().multipliedBy(2).plus(CALLS);
    Duration most = wasLive ? timing.tick().plus(CALLS) : own.plus(slowStart).plus(tick);
    check(
        lag.compareTo(most) <= 0,
        "an increment %s live was shown only after %s, with events up to %s late"
            .formatted(wasLive ? "once" : "before it was", lag, delay));
  }

  /** The longest time until a busy counter is live: a delay, a LEASE, two ticks and some calls. */
  private Duration untilLive() {
    return delay.plus(timing.lease()).plus(timing.tick().multipliedBy(2)).plus(CALLS);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
