package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A deployment of one counter whose troubles are chosen, not drawn: for what a seed would hardly
 * ever hit. Each roll-up is checked as it is written, as in {@link World}.
 */
final class Drill {
  static final CounterPath LIKES = CounterPath.of("likes");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));

  /** As the platform delivers again: each wait is twice the one before, up to ten minutes. */
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

  final VirtualTime time = new VirtualTime();
  final Database database = new Database(time);
  final Trouble trouble = new Trouble();
  private final Faults none = new Faults(/* seed= */ 1, /* level= */ 0);
  private final History history = new History(time);
  private final ShardWrites[] handlers = {handler(), handler()};
  private boolean wakes = true;
  private int names;
  private int pending;
  private int running;
  private int failedRuns;

  Drill() {
    database.onRollup(history::rollupChanged);
  }

  /** From now on, wake-ups get lost, so that only the schedule starts a run. */
  void loseWakeUps() {
    wakes = false;
  }

  void pass(Duration duration) {
    time.run(duration, () -> false);
  }

  /** Increments, each handled by the one or the other instance. */
  void increment(int times, Duration pause) {
    for (int i = 0; i < times; i++) {
      int handler = i % handlers.length;
      time.after(pause.multipliedBy(i), () -> deliver(handler, Optional.of(commit(1))));
    }
  }

  /** Puts another count in the shard, without any event: as a restore does. */
  void restoreShard(long count) {
    commit(count - exact());
  }

  void deliver(int handler, Optional<Instant> committed) {
    pending++;
    attempt(handler, committed, AGAIN_AFTER);
  }

  private void attempt(int handler, Optional<Instant> committed, Duration wait) {
    var unused =
        handlers[handler]
            .written(LIKES, committed)
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    pending--;
                  } else {
                    Duration twice = wait.multipliedBy(2);
                    Duration next = twice.compareTo(LONGEST_WAIT) < 0 ? twice : LONGEST_WAIT;
                    time.after(wait, () -> attempt(handler, committed, next));
                  }
                });
  }

  private Instant commit(long delta) {
    Instant committed = database.tick();
    database
        .shards
        .computeIfAbsent(LIKES, counter -> new TreeMap<>())
        .put(0, new Database.Shard(new Total.Whole(exact() + delta), committed));
    history.shardsChanged(LIKES, committed, database);
    return committed;
  }

  long exact() {
    Database.Shard shard = database.shards.getOrDefault(LIKES, Map.of()).get(0);
    return shard == null ? 0 : ((Total.Whole) shard.count()).value();
  }

  /** As the schedule does. */
  void run() {
    start(/* woken= */ false);
  }

  void runEveryMinute(int times) {
    for (int i = 0; i < times; i++) {
      time.after(Duration.ofMinutes(i), this::run);
    }
  }

  private void start(boolean woken) {
    Trouble.Loop loop = trouble.loop(process());
    SimulatedFirestore firestore = connect(loop.instance());
    Runs runs =
        new Runs(
            trouble.store(firestore, loop),
            firestore,
            this::wake,
            Journal.none(),
            TIMING,
            new Lanes(4, 1),
            new RunSettings(Duration.ofSeconds(70), Duration.ofSeconds(5)),
            loop,
            () -> "run-" + names++);
    running++;
    loop.execute(
        () -> {
          var unused =
              (woken ? runs.woken(0) : runs.scheduled(0))
                  .whenComplete(
                      (ending, failure) -> {
                        running--;
                        failedRuns += failure == null ? 0 : 1;
                      });
        });
  }

  private CompletableFuture<Void> wake(int lane) {
    if (wakes) {
      time.after(Duration.ofMillis(50), () -> start(/* woken= */ true));
    }
    return CompletableFuture.completedFuture(null);
  }

  void sweep() {
    Trouble.Loop loop = trouble.loop(process());
    Sweep sweep =
        new Sweep(
            trouble.store(connect(loop.instance()), loop),
            this::wake,
            Journal.none(),
            TIMING,
            loop,
            () -> 0);
    loop.execute(
        () -> {
          var unused = sweep.run(Sweep.Cursor.START, Duration.ofMinutes(1));
        });
  }

  private ShardWrites handler() {
    Trouble.Loop loop = trouble.loop(process());
    return new ShardWrites(
        trouble.store(connect(loop.instance()), loop), this::wake, Journal.none(), TIMING, () -> 0);
  }

  private Instance process() {
    return new Instance(time, Duration.ZERO);
  }

  private SimulatedFirestore connect(Instance process) {
    return new SimulatedFirestore(database, time, none, process, Duration.ZERO);
  }

  Optional<Rollup> rollup() {
    return database.read(LIKES);
  }

  boolean isExact() {
    return rollup().map(Rollup::total).filter(new Total.Whole(exact())::equals).isPresent();
  }

  /** Exact, with nothing left to do. */
  boolean isSettled() {
    return isExact() && database.isQuiet() && pending == 0 && running == 0;
  }

  int failedRuns() {
    return failedRuns;
  }
}
