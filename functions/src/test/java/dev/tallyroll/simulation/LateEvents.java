package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A busy counter whose events are late, all of them, and nothing else goes wrong: by a constant, by
 * a random delay, or held back in a backlog that drains at once. Its total must be fresh all the
 * same, and its events cheap.
 */
final class LateEvents implements Site {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Duration TICK = Duration.ofSeconds(1);

  /** A wake-up takes up to 0.2 s, a run hears of its successor within 0.3 s, calls take 10 ms. */
  private static final Duration CALLS = Duration.ofMillis(600);

  private static final Timing TIMING = new Timing(TICK, Duration.ofSeconds(5), Duration.ZERO);
  private static final int MAX_DELAY = 30_000;

  /** A message, a lease, and what a run waits for when idle. */
  private static final Duration UNTIL_SETTLED = Duration.ofSeconds(90);

  /** Each instance may read a roll-up now and then, but not once an event. */
  private static final int READS_PER_INSTANCE = 15;

  private final VirtualTime time = new VirtualTime();
  private final Faults faults;
  private final Database database = new Database(time);
  private final History history = new History(time);
  private final Book book = new Book();
  private final Rollers rollers;
  private final List<ShardWrites> handlers = new ArrayList<>();
  private final List<SimulatedFirestore> connections = new ArrayList<>();
  private final TreeMap<Instant, Instant> unseen = new TreeMap<>();
  private final Duration delay;
  private final Instant began;
  private Optional<Instant> live = Optional.empty();
  private Instant lastWrite = Instant.EPOCH;
  private int events;
  private int pending;

  LateEvents(long seed) {
    faults = new Faults(seed, /* level= */ 0);
    delay = Duration.ofMillis(faults.random.nextInt(MAX_DELAY));
    rollers = new Rollers(time, faults, this, Layout.DEFAULT, TIMING);
    int instances = 1 + faults.random.nextInt(3);
    for (int i = 0; i < instances; i++) {
      Instance process = process();
      SimulatedFirestore connection = connect(process, Layout.DEFAULT);
      connections.add(connection);
      handlers.add(new ShardWrites(connection, rollers, book, TIMING, () -> 0));
    }
    began = time.now();
    database.onRollup(this::rollupChanged);
  }

  /**
   * Plays it.
   *
   * @throws AssertionError if a promise was broken
   */
  void play() {
    Duration span = Duration.ofSeconds(10 + faults.random.nextInt(40));
    int perSecond = 4 + faults.random.nextInt(40);
    int kind = faults.random.nextInt(3);
    long writes = span.toSeconds() * perSecond;
    for (int i = 0; i < writes; i++) {
      Duration at = Duration.ofSeconds(1).multipliedBy(i).dividedBy(perSecond);
      Duration late =
          switch (kind) {
            case 0 -> delay;
            case 1 -> faults.upTo(delay.plusMillis(1));
            default -> at.compareTo(delay) < 0 ? delay.minus(at) : Duration.ofMillis(20);
          };
      time.after(at, () -> write(late));
    }
    time.run(span, () -> false);
    time.run(delay.plus(UNTIL_SETTLED), () -> pending == 0 && database.isQuiet());
    check(pending == 0 && database.isQuiet(), "not quiet");
    check(unseen.isEmpty(), unseen.size() + " increments were never shown");
    new Exactness(database).check();
    int reads = connections.stream().mapToInt(SimulatedFirestore::reads).sum();
    int most = READS_PER_INSTANCE * handlers.size() + events / 20;
    check(reads <= most, reads + " reads for " + events + " events, more than " + most);
  }

  private void write(Duration late) {
    Instant committed = database.tick();
    Map<Integer, Database.Shard> shards =
        database.shards.computeIfAbsent(LIKES, counter -> new TreeMap<>());
    long next = shards.isEmpty() ? 1 : ((Total.Whole) shards.get(0).count()).value() + 1;
    shards.put(0, new Database.Shard(new Total.Whole(next), committed));
    history.shardsChanged(LIKES, committed, database);
    unseen.put(committed, committed);
    lastWrite = committed;
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
    history.rollupChanged(counter, rollup);
    Rollup shown = rollup.orElseThrow();
    if (live.isEmpty()
        && shown.lease().map(Lease::until).filter(time.now()::isBefore).isPresent()) {
      live = Optional.of(time.now());
      Duration since = Duration.between(began, time.now());
      check(since.compareTo(late(2)) <= 0, "live only after " + since);
    }
    Map<Instant, Instant> seen = unseen.headMap(shown.asOf(), true);
    seen.keySet().forEach(this::checkFresh);
    seen.clear();
  }

  private void checkFresh(Instant committed) {
    Duration lag = Duration.between(committed, time.now());
    boolean wasLive = live.filter(since -> !since.isAfter(committed)).isPresent();
    Duration most = wasLive ? TICK.plus(CALLS) : late(2);
    check(
        lag.compareTo(most) <= 0,
        "an increment %s live was shown only after %s, with events up to %s late"
            .formatted(wasLive ? "once" : "before it was", lag, delay));
  }

  private Duration late(int ticks) {
    return delay.plus(TICK.multipliedBy(ticks)).plus(CALLS);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  @Override
  public Instance process() {
    return new Instance(time, Duration.ofMillis(faults.random.nextInt(1_000) - 500L));
  }

  @Override
  public SimulatedFirestore connect(Instance process, Layout layout) {
    return new SimulatedFirestore(database, time, faults, process, Duration.ZERO, layout);
  }

  @Override
  public Journal journal() {
    return book;
  }

  @Override
  public void note(String line) {
    history.note(line);
  }

  String history() {
    return history.lines();
  }
}
