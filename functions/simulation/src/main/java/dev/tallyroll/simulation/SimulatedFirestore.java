package dev.tallyroll.simulation;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.ConfirmedSettings;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.TotalField;
import dev.tallyroll.protocol.TotalField.Versions;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The connection of one process to the database. A call takes some time until its effect, and its
 * answer some time back. The call may be refused, its answer may be lost, and the client library
 * may repeat a write.
 */
final class SimulatedFirestore
    implements RollupStore, RunStore, ConfirmedSettings.Documents, TotalField.Documents {
  /** The calls of a store. */
  enum Call {
    READ,
    SUM,
    LOOK,
    SETTINGS,
    CREATE_SETTINGS,
    DOCUMENT,
    WRITE,
    LIVE,
    LIVE_SINCE,
    REMOVE_ENTRY,
    PAGE,
    READ_RUN,
    CLAIM_RUN,
    RELEASE_RUN
  }

  private final World world;
  private final Database database;
  private final VirtualTime time;
  private final Faults faults;
  private final World.Instance instance;
  private final Layout layout;
  private final ConfirmedSettings confirmed;
  private final TotalField totalField;
  private final Map<Call, Integer> calls = new EnumMap<>(Call.class);

  SimulatedFirestore(World world, World.Instance instance, Layout layout) {
    this.world = world;
    this.database = world.database;
    this.time = world.time;
    this.faults = world.faults;
    this.instance = instance;
    this.layout = layout;
    this.confirmed = new ConfirmedSettings(this, instance);
    this.totalField = new TotalField(this, Documents.PATH, instance, world.history);
  }

  /** The number of calls of these kinds. */
  int calls(Call... kinds) {
    return Stream.of(kinds).mapToInt(kind -> calls.getOrDefault(kind, 0)).sum();
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    return call(
        Call.READ,
        () ->
            new Reading(
                database.read(layout, counter),
                database.otherMark(layout, counter),
                database.tick()));
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    return call(Call.SUM, () -> database.sum(layout, counter), faults.takeStall())
        .thenCompose(sum -> confirmed.judge(counter, sum));
  }

  @Override
  public CompletableFuture<Sum> quickSum(CounterPath counter) {
    return call(Call.SUM, () -> database.sum(layout, counter)).thenApply(confirmed::seen);
  }

  @Override
  public CompletableFuture<ConfirmedSettings.Look> look(CounterPath counter) {
    return aside(Call.LOOK, () -> database.look(layout, counter));
  }

  @Override
  public CompletableFuture<Optional<Map<String, Object>>> settings() {
    return aside(
        Call.SETTINGS, () -> Optional.ofNullable(database.settings.get(layout.settingsDocument())));
  }

  @Override
  public CompletableFuture<Void> createSettings(Map<String, Object> fields) {
    return aside(
        Call.CREATE_SETTINGS,
        () -> {
          database.settings.putIfAbsent(layout.settingsDocument(), fields);
          return null;
        });
  }

  /** A call whose chances and times leave those of all others as they are. */
  private <T> CompletableFuture<T> aside(Call kind, Supplier<T> effect) {
    return send(
        kind, () -> completedFuture(effect.get()), Duration.ZERO, Duration.ZERO, faults.aside);
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(CounterPath counter) {
    return call(
        Call.READ,
        () -> {
          Instant now = database.tick();
          return database.shards(counter).values().stream()
              .map(shard -> Duration.between(shard.updateTime(), now))
              .toList();
        });
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    return world.hasTotalField
        ? totalField.write(counter, change)
        : commit(counter, change, Optional.empty())
            .thenApply(versions -> versions.map(Versions::rollup));
  }

  @Override
  public CompletableFuture<TotalField.Field> field(CounterPath counter) {
    database.documents.tried(counter);
    return call(Call.DOCUMENT, () -> database.documents.field(counter));
  }

  @Override
  public CompletableFuture<Boolean> shows(CounterPath counter, Total total) {
    return world.hasTotalField ? totalField.shows(counter, total) : completedFuture(true);
  }

  @Override
  public CompletableFuture<Optional<Versions>> commit(
      CounterPath counter, Change change, Optional<Instant> document) {
    boolean onTime = faults.lateness.isZero();
    Duration late = onTime ? Duration.ZERO : faults.upTo(faults.lateness);
    Duration lock = document.isPresent() ? database.documents.held(counter) : Duration.ZERO;
    Duration heldUp = faults.heldUp().plus(lock);
    document.ifPresent(version -> database.documents.tried(counter));
    return write(Call.WRITE, () -> commit(counter, change, document, heldUp, late), heldUp, late);
  }

  private Optional<Versions> commit(
      CounterPath counter,
      Change change,
      Optional<Instant> document,
      Duration heldUp,
      Duration late) {
    if (document.filter(version -> !database.documents.isAt(counter, version)).isPresent()) {
      return Optional.empty();
    }
    Optional<Instant> applied = database.write(layout, counter, change, heldUp, late);
    faults.branches.add(Branch.of(change, applied));
    Optional<Instant> shown =
        world.hasTotalField && applied.isPresent()
            ? database.documents.written(counter, change, document.isPresent())
            : Optional.empty();
    return applied.map(rollup -> new Versions(rollup, shown));
  }

  @Override
  public CompletableFuture<LiveList> live(Part part) {
    return call(Call.LIVE, () -> found(database.live(layout, part)));
  }

  @Override
  public CompletableFuture<LiveList> liveSince(Instant since) {
    return call(Call.LIVE_SINCE, () -> found(database.liveSince(layout, since)));
  }

  /** Counts the cost of a query: a read for each document found, and one if it finds none. */
  private LiveList found(List<Entry> entries) {
    database.listed += Math.max(1, entries.size());
    return new LiveList(entries, database.tick(), false);
  }

  @Override
  public CompletableFuture<Void> remove(Entry entry) {
    return call(
        Call.REMOVE_ENTRY,
        () -> {
          database.remove(layout, entry);
          return null;
        });
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    return call(Call.PAGE, () -> database.page(layout, group, after, limit));
  }

  @Override
  public boolean isElsewhere(Group group, String path) {
    return false;
  }

  @Override
  public CompletableFuture<RunState> read(String job) {
    return call(
        Call.READ_RUN,
        () -> {
          Optional<Database.Run> run = run(job);
          return new RunState(
              run.map(Database.Run::claim),
              run.flatMap(Database.Run::place),
              run.map(Database.Run::updateTime)
                  .or(() -> isForeign(job) ? Optional.of(Instant.EPOCH) : Optional.empty()),
              isForeign(job),
              database.tick());
        });
  }

  private boolean isForeign(String job) {
    return database.foreignRuns.contains(layout.runDocument(job));
  }

  @Override
  public String newHolder() {
    return "run-" + database.holders++;
  }

  @Override
  public CompletableFuture<Optional<Instant>> claim(
      String job, Claim claim, Optional<Place> place, Optional<Instant> expected) {
    return write(
        Call.CLAIM_RUN,
        () -> {
          boolean asRead =
              expected
                  .map(version -> at(job, version).isPresent())
                  .orElseGet(() -> !isForeign(job) && run(job).isEmpty());
          Instant now = database.tick();
          if (asRead) {
            Optional<Place> stands = place.or(() -> run(job).flatMap(Database.Run::place));
            database.runs.put(layout.runDocument(job), new Database.Run(claim, stands, now));
          }
          return Optional.of(now).filter(it -> asRead);
        });
  }

  private Optional<Database.Run> run(String job) {
    return Optional.ofNullable(database.runs.get(layout.runDocument(job)));
  }

  private Optional<Database.Run> at(String job, Instant expected) {
    if (isForeign(job)) {
      throw new AssertionError("somebody else's document was taken for a run's");
    }
    return run(job).filter(run -> run.updateTime().equals(expected));
  }

  @Override
  public CompletableFuture<Boolean> release(String job, Instant expected) {
    return write(
        Call.RELEASE_RUN,
        () ->
            at(job, expected).isPresent() && database.runs.remove(layout.runDocument(job)) != null);
  }

  <T> CompletableFuture<T> write(Call kind, Supplier<T> effect) {
    return write(kind, effect, Duration.ZERO, Duration.ZERO);
  }

  private <T> CompletableFuture<T> write(
      Call kind, Supplier<T> effect, Duration heldUp, Duration late) {
    Supplier<T> written =
        () -> {
          T answer = effect.get();
          return faults.happens(Kind.REPEATED_WRITE, 0.02) ? effect.get() : answer;
        };
    if (faults.happens(Kind.APPLIED_AFTER_FAILURE, 0.01)) {
      database.underWay++;
      time.after(
          faults.upTo(Timing.LONGEST_CALL),
          () -> {
            T unheard = written.get();
            world.history.note(() -> kind + " takes effect after its failure: " + unheard);
            database.underWay--;
          });
      return send(kind, World::unavailable, Duration.ZERO, Duration.ZERO);
    }
    return send(kind, () -> completedFuture(written.get()), heldUp, late);
  }

  <T> CompletableFuture<T> call(Call kind, Supplier<T> effect) {
    return call(kind, effect, Duration.ZERO);
  }

  private <T> CompletableFuture<T> call(Call kind, Supplier<T> effect, Duration late) {
    return send(kind, () -> completedFuture(effect.get()), Duration.ZERO, late);
  }

  private <T> CompletableFuture<T> send(
      Call kind, Supplier<CompletableFuture<T>> effect, Duration heldUp, Duration late) {
    return send(kind, effect, heldUp, late, faults.random);
  }

  private <T> CompletableFuture<T> send(
      Call kind,
      Supplier<CompletableFuture<T>> effect,
      Duration heldUp,
      Duration late,
      Random draws) {
    calls.merge(kind, 1, Integer::sum);
    world.calls.merge(kind, 1, Integer::sum);
    return world
        .call(faults.refuses(kind), faults.unanswered.contains(kind), heldUp, effect, late, draws)
        .thenApplyAsync(answer -> answer, instance);
  }
}
