package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One process's connection to the database. A call takes effect some time after it was made, and
 * its answer takes some time to come back; it may be refused, its answer may be lost, and a write
 * may be repeated by the client library.
 */
final class SimulatedFirestore implements RollupStore, RunStore {
  private final Database database;
  private final VirtualTime time;
  private final Faults faults;
  private final Instance instance;
  private final Duration lateness;
  private final Layout layout;
  private int calls;

  SimulatedFirestore(
      Database database, VirtualTime time, Faults faults, Instance instance, Duration lateness) {
    this(database, time, faults, instance, lateness, Layout.DEFAULT);
  }

  SimulatedFirestore(
      Database database,
      VirtualTime time,
      Faults faults,
      Instance instance,
      Duration lateness,
      Layout layout) {
    this.layout = layout;
    this.database = database;
    this.time = time;
    this.faults = faults;
    this.instance = instance;
    this.lateness = lateness;
  }

  /** How many roll-ups and sums it was asked for. */
  int calls() {
    return calls;
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    calls++;
    return call(() -> new Reading(database.read(layout, counter), database.tick()));
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    calls++;
    return call(() -> database.sum(layout, counter));
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    Duration late = lateness.isZero() ? Duration.ZERO : faults.upTo(lateness);
    return write(
        () -> {
          Optional<Instant> applied = database.write(layout, counter, change, late);
          faults.came(Branch.of(change, applied));
          return applied;
        },
        late);
  }

  @Override
  public CompletableFuture<LiveList> live() {
    return call(() -> new LiveList(database.live(layout), database.tick()));
  }

  @Override
  public CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes) {
    return call(
        () ->
            new LiveList(
                database.live(layout).stream()
                    .filter(live -> live.rollup().lease().orElseThrow().until().isAfter(after))
                    .filter(live -> lanes.contains(live.rollup().lease().orElseThrow().lane()))
                    .sorted(Orders.BY_END)
                    .toList(),
                database.tick()));
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    return call(() -> database.page(layout, group, after, limit));
  }

  @Override
  public CompletableFuture<RunState> read(int worker) {
    return call(
        () -> {
          Optional<Database.Run> run = run(worker);
          return new RunState(
              run.map(Database.Run::claim),
              run.map(Database.Run::updateTime)
                  .or(() -> isForeign(worker) ? Optional.of(Instant.EPOCH) : Optional.empty()),
              isForeign(worker),
              database.tick());
        });
  }

  private boolean isForeign(int worker) {
    return database.foreignRuns.contains(layout.runDocument(worker));
  }

  @Override
  public CompletableFuture<Optional<Instant>> create(int worker, Claim claim) {
    return write(
        () ->
            isForeign(worker) || run(worker).isPresent()
                ? Optional.empty()
                : Optional.of(put(worker, claim)));
  }

  @Override
  public CompletableFuture<Optional<Instant>> replace(int worker, Claim claim, Instant expected) {
    return write(() -> at(worker, expected).map(run -> put(worker, claim)));
  }

  /** A write that changes nothing keeps the version. */
  private Instant put(int worker, Claim claim) {
    Instant now = database.tick();
    Database.Run written = new Database.Run(claim, now, Optional.empty());
    return database
        .runs
        .merge(
            layout.runDocument(worker),
            written,
            (old, run) -> old.claim().equals(claim) && old.poked().isEmpty() ? old : run)
        .updateTime();
  }

  private Optional<Database.Run> run(int worker) {
    return Optional.ofNullable(database.runs.get(layout.runDocument(worker)));
  }

  private Optional<Database.Run> at(int worker, Instant expected) {
    if (isForeign(worker)) {
      throw new AssertionError("somebody else's document was taken for a run's");
    }
    return run(worker).filter(run -> run.updateTime().equals(expected));
  }

  @Override
  public CompletableFuture<Boolean> release(int worker, Instant expected) {
    return write(
        () ->
            at(worker, expected).isPresent()
                && database.runs.remove(layout.runDocument(worker)) != null);
  }

  @Override
  public CompletableFuture<Boolean> poke(int worker, Instant expected) {
    return write(
        () -> {
          Instant now = database.tick();
          Optional<Database.Run> run = at(worker, expected);
          run.ifPresent(
              held ->
                  database.runs.put(
                      layout.runDocument(worker),
                      new Database.Run(held.claim(), now, Optional.of(now))));
          return run.isPresent();
        });
  }

  /**
   * A listener that looks every now and then: it may miss holders in between, as a real one may.
   */
  @Override
  public Watch watch(int worker, Consumer<Sighting> seen) {
    boolean[] closed = {false};
    look(worker, seen, closed);
    return () -> closed[0] = true;
  }

  private void look(int worker, Consumer<Sighting> seen, boolean[] closed) {
    time.after(
        faults.upTo(Duration.ofMillis(300)),
        () -> {
          if (!closed[0] && !instance.isCrashed()) {
            run(worker)
                .map(run -> new Sighting(run.claim().holder(), run.poked(), run.updateTime()))
                .ifPresent(seen);
            look(worker, seen, closed);
          }
        });
  }

  private <T> CompletableFuture<T> write(Supplier<T> effect) {
    return write(effect, Duration.ZERO);
  }

  private <T> CompletableFuture<T> write(Supplier<T> effect, Duration late) {
    return call(
        () -> {
          T answer = effect.get();
          return faults.happens(Kind.REPEATED_WRITE, 0.02) ? effect.get() : answer;
        },
        late);
  }

  private <T> CompletableFuture<T> call(Supplier<T> effect) {
    return call(effect, Duration.ZERO);
  }

  /**
   * @param late how long queries do not see the effect; it is not acknowledged before they do
   */
  private <T> CompletableFuture<T> call(Supplier<T> effect, Duration late) {
    CompletableFuture<T> result = new CompletableFuture<>();
    boolean refused = faults.happens(Kind.REFUSED_CALL, 0.03);
    boolean lost = !refused && faults.happens(Kind.LOST_REPLY, 0.03);
    database.begin();
    // Once under way, a call takes effect even if its caller is gone by then.
    time.after(
        faults.latency(),
        () -> {
          CompletableFuture<T> outcome = refused ? unavailable() : completed(effect.get());
          time.after(
              faults.latency().plus(late), () -> answer(result, lost ? unavailable() : outcome));
        });
    return result;
  }

  private static <T> CompletableFuture<T> completed(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static <T> CompletableFuture<T> unavailable() {
    return CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE"));
  }

  private <T> void answer(CompletableFuture<T> result, CompletableFuture<T> outcome) {
    time.after(Duration.ofMillis(1), database::end); // by then, what follows from it has begun
    instance.execute(
        () -> {
          var unused =
              outcome.whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      result.complete(answer);
                    } else {
                      result.completeExceptionally(failure);
                    }
                  });
        });
  }
}
