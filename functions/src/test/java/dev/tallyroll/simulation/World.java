package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.WakeUps;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Where simulated functions and their clients run, all in one thread: time, Firestore, instances,
 * what goes wrong, and the history, which checks each roll-up as it is written.
 */
final class World {
  final VirtualTime time = new VirtualTime();
  final Database database = new Database(time);
  final History history = new History(time, database);
  final Faults faults;
  final Timing timing;
  final Lanes lanes;
  private final Supplier<Duration> clockErrors;
  private final Map<CounterPath, Instant> lastVisible = new HashMap<>();

  /**
   * @param clockErrors draws by how much the clock of an instance is wrong
   */
  World(Faults faults, Timing timing, Lanes lanes, Supplier<Duration> clockErrors) {
    this.faults = faults;
    this.timing = timing;
    this.lanes = lanes;
    this.clockErrors = clockErrors;
    database.onRollup(history::rollupChanged);
  }

  /** A world in which nothing goes wrong but by script. */
  static World scripted(Timing timing, Lanes lanes) {
    return new World(new Faults(/* seed= */ 1, /* level= */ 0), timing, lanes, () -> Duration.ZERO);
  }

  /** A function instance: an event loop with a clock of its own, which may be wrong, and a life. */
  final class Instance implements EventLoop {
    private final Duration clockError;
    private boolean crashed;

    private Instance(Duration clockError) {
      this.clockError = clockError;
    }

    /** From now on, nothing that it began goes on. */
    void crash() {
      crashed = true;
    }

    boolean isCrashed() {
      return crashed;
    }

    @Override
    public void execute(Runnable step) {
      step(Duration.ZERO, step);
    }

    @Override
    public Instant instant() {
      return time.now().plus(clockError).plus(faults.clockError);
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      CompletableFuture<Void> passed = new CompletableFuture<>();
      step(delay, () -> passed.complete(null));
      return passed;
    }

    private void step(Duration delay, Runnable step) {
      time.after(
          delay,
          () -> {
            if (!crashed) {
              step.run();
            }
          });
    }
  }

  Instance instance() {
    return new Instance(clockErrors.get());
  }

  SimulatedFirestore connect(Instance instance, Layout layout) {
    return new SimulatedFirestore(this, instance, layout);
  }

  /**
   * Commits. In some worlds, queries see a commit later than its own time stamp says, as on the
   * emulator. Those of one counter become visible in their order.
   *
   * @param effect takes place when the commit becomes visible, and hears of the times of both
   */
  void commit(CounterPath counter, BiConsumer<Instant, Instant> effect) {
    Instant committed = database.tick();
    Instant visible = committed;
    if (!faults.lateness.isZero() && faults.happens(Kind.LATE_COMMIT, 0.3)) {
      visible = committed.plus(faults.upTo(faults.lateness));
    }
    Instant before = lastVisible.getOrDefault(counter, Instant.EPOCH);
    Instant seen = visible.isAfter(before) ? visible : before;
    lastVisible.put(counter, seen);
    Duration delay = Duration.between(time.now(), seen);
    if (delay.isZero() || delay.isNegative()) {
      effect.accept(committed, committed);
    } else {
      time.after(delay, () -> effect.accept(committed, database.tick()));
    }
  }

  /** Writes the only shard of a counter, without an event. */
  Instant put(CounterPath counter, Total count) {
    Instant committed = database.put(counter, 0, Optional.of(count.number()));
    history.shardsChanged(counter, committed);
    return committed;
  }

  /** Gives a counter its first shard, and a roll-up with a lease. */
  void makeLive(CounterPath counter, Duration forTime) {
    put(counter, new Total.Whole(0));
    Change create =
        new Change.Create(database.sum(counter), new Lease(time.now().plus(forTime), 0));
    assertThat(database.write(Layout.DEFAULT, counter, create, Duration.ZERO)).isPresent();
  }

  /** Sweeps a part at a time, each of which stops after its first page. */
  void sweep(Layout layout, WakeUps wakeUps) {
    Instance instance = instance();
    Sweep sweep =
        new Sweep(
            connect(instance, layout),
            wakeUps,
            history,
            timing,
            instance,
            () -> faults.random.nextInt(lanes.lanes()));
    boolean[] swept = {false};
    instance.execute(() -> sweep(sweep, Sweep.Cursor.START, swept));
    time.run(Duration.ofHours(26), () -> swept[0]);
  }

  private static void sweep(Sweep sweep, Sweep.Cursor from, boolean[] swept) {
    var unused =
        sweep
            .run(from, Duration.ofMillis(1))
            .thenAccept(
                rest ->
                    rest.ifPresentOrElse(
                        cursor -> sweep(sweep, cursor, swept), () -> swept[0] = true));
  }

  void checkExact() {
    for (CounterPath counter : database.wrong()) {
      throw new AssertionError(
          "%s: exact %s, rolled up %s"
              .formatted(counter, database.sum(counter), database.read(counter)));
    }
  }
}
