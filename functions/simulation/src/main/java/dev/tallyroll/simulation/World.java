package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Runs.Polling;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.simulation.Faults.Kind;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The world in which simulated functions and their clients run, all in one thread: time, Firestore,
 * instances, faults, and the history, which checks each written roll-up.
 */
final class World {
  final VirtualTime time = new VirtualTime();
  final Database database = new Database(time);
  final History history = new History(time, database);
  final Faults faults;
  final Timing timing;
  final RunSettings settings;

  /** The number of calls by all instances, by kind. */
  final Map<SimulatedFirestore.Call, Integer> calls = new EnumMap<>(SimulatedFirestore.Call.class);

  /** Whether totals are shown in the counters' own documents, too. */
  boolean hasTotalField;

  private final Supplier<Duration> clockErrors;
  private final Map<CounterPath, Instant> lastVisible = new HashMap<>();

  /**
   * @param clockErrors draws the error of an instance's clock
   */
  World(Faults faults, RunSettings settings, Supplier<Duration> clockErrors) {
    this.faults = faults;
    this.settings = settings;
    this.timing = settings.timing();
    this.clockErrors = clockErrors;
    database.onRollup(history::rollupChanged);
  }

  /** A world in which only a script causes faults. */
  static World scripted(Timing timing) {
    return new World(
        new Faults(/* seed= */ 1, /* level= */ 0), settings(timing, 1), () -> Duration.ZERO);
  }

  /** The default settings, except these. A sweep stops after its second page. */
  static RunSettings settings(Timing timing, int workers) {
    return new RunSettings(
        timing,
        workers,
        Duration.ofSeconds(70),
        timing.tick(),
        Duration.ofMillis(30),
        /* sweepCounters= */ 200);
  }

  /** The number of calls of these kinds. */
  int calls(SimulatedFirestore.Call... kinds) {
    return Stream.of(kinds).mapToInt(kind -> calls.getOrDefault(kind, 0)).sum();
  }

  /** A function instance: an event loop with its own clock, which may be wrong. It can crash. */
  final class Instance implements EventLoop {
    private final Duration clockError;
    private boolean crashed;

    private Instance(Duration clockError) {
      this.clockError = clockError;
    }

    /** Ends the instance and all its work. */
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

    @Override
    public Duration jitter(Duration most) {
      return most.dividedBy(2).plus(faults.upTo(most.dividedBy(2)));
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
   * emulator. The commits of one counter become visible in their order.
   *
   * @param effect runs when the commit becomes visible, with the times of commit and visibility
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

  /**
   * Calls Firestore: the call takes effect after a while, even if its caller has crashed by then,
   * and its answer comes after another.
   *
   * @param refused whether the script refuses the call
   * @param unanswered whether the script loses the answer
   * @param heldUp the time that the server takes until the effect
   * @param late the time for which queries do not see the effect; the answer comes later than that
   */
  <T> CompletableFuture<T> call(
      boolean refused,
      boolean unanswered,
      Duration heldUp,
      Supplier<CompletableFuture<T>> effect,
      Duration late) {
    return call(refused, unanswered, heldUp, effect, late, faults.random);
  }

  /**
   * @param draws gives the chances and times of this call
   */
  <T> CompletableFuture<T> call(
      boolean refused,
      boolean unanswered,
      Duration heldUp,
      Supplier<CompletableFuture<T>> effect,
      Duration late,
      Random draws) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean fails = refused || faults.happens(Kind.REFUSED_CALL, 0.03, draws);
    boolean lost = !fails && (unanswered || faults.happens(Kind.LOST_REPLY, 0.03, draws));
    database.underWay++;
    time.after(
        faults.latency(draws).plus(heldUp),
        () -> {
          CompletableFuture<T> outcome = fails ? unavailable() : effect.get();
          var unused =
              outcome.whenComplete(
                  (value, failure) ->
                      time.after(
                          faults.latency(draws).plus(late),
                          () -> give(answer, lost ? unavailable() : outcome)));
        });
    return answer;
  }

  private <T> void give(CompletableFuture<T> answer, CompletableFuture<T> outcome) {
    // The caller's next call has begun by then.
    time.after(Duration.ofMillis(1), () -> database.underWay--);
    var unused =
        outcome.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                answer.complete(value);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  /** The answer to a call that was refused, or whose answer was lost. */
  static <T> CompletableFuture<T> unavailable() {
    return CompletableFuture.failedFuture(
        CounterServer.failure(Status.Code.UNAVAILABLE, "simulated"));
  }

  /** Writes the only shard of a counter, without an event. */
  Instant put(CounterPath counter, Total count) {
    Instant committed = database.put(counter, 0, Optional.of(count.number()));
    history.shardsChanged(counter, committed, 1);
    return committed;
  }

  /** Gives a counter its first shard, and a roll-up with a lease. */
  void makeLive(CounterPath counter, Duration forTime) {
    put(counter, new Total.Whole(0));
    Optional<Instant> until = Optional.of(time.now().plus(forTime));
    Change create =
        new Change(Change.Kind.CREATE, Optional.empty(), Optional.of(database.sum(counter)), until);
    if (database.write(Layout.DEFAULT, counter, create, Duration.ZERO, Duration.ZERO).isEmpty()) {
      throw new AssertionError("expected no roll-up of " + counter + ", found one");
    }
  }

  /** Sweeps everything, a part at a time. */
  void sweep(Layout layout) {
    boolean[] swept = beginSweep(layout);
    time.run(Duration.ofHours(26), () -> swept[0]);
  }

  /** Begins to sweep everything; the answer becomes true at the end. */
  boolean[] beginSweep(Layout layout) {
    Instance instance = instance();
    SimulatedFirestore firestore = connect(instance, layout);
    SimulatedFirestore polling = connect(instance, Database.POLLED);
    Optional<Polling> polled = Optional.of(new Polling(polling, polling));
    Sweep sweep =
        new Sweep(
            firestore,
            polled.filter(its -> layout.equals(Layout.DEFAULT)),
            firestore,
            history,
            instance,
            settings);
    return beginSweep(instance, sweep::run);
  }

  /** Repeats a sweep until it is complete. */
  void sweep(Instance instance, Supplier<CompletableFuture<Boolean>> part) {
    boolean[] swept = beginSweep(instance, part);
    time.run(Duration.ofHours(26), () -> swept[0]);
  }

  private static boolean[] beginSweep(
      Instance instance, Supplier<CompletableFuture<Boolean>> part) {
    boolean[] swept = {false};
    instance.execute(() -> sweep(part, swept));
    return swept;
  }

  private static void sweep(Supplier<CompletableFuture<Boolean>> part, boolean[] swept) {
    var unused =
        part.get()
            .thenAccept(
                complete -> {
                  swept[0] = complete;
                  if (!complete) {
                    sweep(part, swept);
                  }
                });
  }

  void checkExact() {
    if (hasTotalField) {
      database.counters().stream()
          .filter(each -> !database.lacksFields(each))
          .forEach(each -> database.documents.check(each, database.read(each)));
    }
    for (CounterPath counter : database.wrong()) {
      throw new AssertionError(
          "%s: exact %s, rolled up %s"
              .formatted(counter, database.sum(counter), database.read(counter)));
    }
  }
}
