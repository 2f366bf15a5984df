package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One process's connection to the database. A call takes effect some time after it was made, and
 * its answer takes some time to come back; it may be refused, its answer may be lost, and a write
 * may be repeated by the client library.
 */
final class SimulatedFirestore implements RollupStore, RunStore {
  /** What a store may be asked for. */
  enum Call {
    READ,
    SUM,
    WRITE,
    LIVE,
    LIVE_AFTER,
    PAGE,
    READ_RUN,
    CLAIM_RUN,
    RELEASE_RUN,
    POKE_RUN,
    WATCH_RUN
  }

  private final Database database;
  private final VirtualTime time;
  private final Faults faults;
  private final World.Instance instance;
  private final Layout layout;
  private final Map<Call, Integer> calls = new EnumMap<>(Call.class);

  SimulatedFirestore(World world, World.Instance instance, Layout layout) {
    this.database = world.database;
    this.time = world.time;
    this.faults = world.faults;
    this.instance = instance;
    this.layout = layout;
  }

  /** How often it was asked for these. */
  int calls(Call... kinds) {
    return Stream.of(kinds).mapToInt(kind -> calls.getOrDefault(kind, 0)).sum();
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    return call(Call.READ, () -> new Reading(database.read(layout, counter), database.tick()));
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    return call(Call.SUM, () -> database.sum(layout, counter), faults.takeStall());
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    boolean onTime = faults.lateness.isZero();
    Duration late = onTime ? Duration.ZERO : faults.upTo(faults.lateness);
    return write(
        Call.WRITE,
        () -> {
          Optional<Instant> applied = database.write(layout, counter, change, late);
          faults.branches.add(Branch.of(change, applied));
          return applied;
        },
        late);
  }

  @Override
  public CompletableFuture<LiveList> live() {
    return call(Call.LIVE, () -> new LiveList(database.live(layout), database.tick()));
  }

  @Override
  public CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes) {
    return call(
        Call.LIVE_AFTER,
        () -> new LiveList(database.liveAfter(layout, after, lanes), database.tick()));
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    return call(Call.PAGE, () -> database.page(layout, group, after, limit));
  }

  @Override
  public CompletableFuture<RunState> read(int worker) {
    return call(
        Call.READ_RUN,
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
  public String newHolder() {
    return "run-" + database.holders++;
  }

  @Override
  public CompletableFuture<Optional<Instant>> claim(
      int worker, Claim claim, Optional<Instant> expected) {
    return write(
        Call.CLAIM_RUN,
        () -> {
          boolean asRead =
              expected
                  .map(version -> at(worker, version).isPresent())
                  .orElseGet(() -> !isForeign(worker) && run(worker).isEmpty());
          return asRead ? Optional.of(put(worker, claim)) : Optional.empty();
        });
  }

  /** A write that changes nothing keeps the version. */
  private Instant put(int worker, Claim claim) {
    Instant now = database.tick();
    Database.Run written = new Database.Run(claim, now, false);
    return database
        .runs
        .merge(
            layout.runDocument(worker),
            written,
            (old, run) -> old.claim().equals(claim) && !old.poked() ? old : run)
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
        Call.RELEASE_RUN,
        () ->
            at(worker, expected).isPresent()
                && database.runs.remove(layout.runDocument(worker)) != null);
  }

  @Override
  public CompletableFuture<Boolean> poke(int worker, Instant expected) {
    return write(
        Call.POKE_RUN,
        () -> {
          Instant now = database.tick();
          Optional<Database.Run> run = at(worker, expected);
          run.ifPresent(
              held ->
                  database.runs.put(
                      layout.runDocument(worker), new Database.Run(held.claim(), now, true)));
          return run.isPresent();
        });
  }

  /**
   * A listener that looks every now and then: it may miss holders in between, as a real one may.
   */
  @Override
  public Watch watch(int worker, Consumer<Sighting> seen) {
    calls.merge(Call.WATCH_RUN, 1, Integer::sum);
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

  private <T> CompletableFuture<T> write(Call kind, Supplier<T> effect) {
    return write(kind, effect, Duration.ZERO);
  }

  private <T> CompletableFuture<T> write(Call kind, Supplier<T> effect, Duration late) {
    return call(
        kind,
        () -> {
          T answer = effect.get();
          return faults.happens(Kind.REPEATED_WRITE, 0.02) ? effect.get() : answer;
        },
        late);
  }

  private <T> CompletableFuture<T> call(Call kind, Supplier<T> effect) {
    return call(kind, effect, Duration.ZERO);
  }

  /**
   * @param late how long queries do not see the effect; it is not acknowledged before they do
   */
  private <T> CompletableFuture<T> call(Call kind, Supplier<T> effect, Duration late) {
    calls.merge(kind, 1, Integer::sum);
    CompletableFuture<T> result = new CompletableFuture<>();
    boolean refused = faults.refuses(kind) || faults.happens(Kind.REFUSED_CALL, 0.03);
    boolean lost =
        !refused && (faults.unanswered.contains(kind) || faults.happens(Kind.LOST_REPLY, 0.03));
    database.underWay++;
    // Once under way, a call takes effect even if its caller is gone by then.
    time.after(
        faults.latency(),
        () -> {
          CompletableFuture<T> outcome =
              refused ? unavailable() : CompletableFuture.completedFuture(effect.get());
          time.after(
              faults.latency().plus(late), () -> answer(result, lost ? unavailable() : outcome));
        });
    return result;
  }

  private static <T> CompletableFuture<T> unavailable() {
    return CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE"));
  }

  private <T> void answer(CompletableFuture<T> result, CompletableFuture<T> outcome) {
    time.after(
        Duration.ofMillis(1), () -> database.underWay--); // by then, what follows from it has begun
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
