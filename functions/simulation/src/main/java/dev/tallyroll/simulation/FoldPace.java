package dev.tallyroll.simulation;

import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.fold.FoldRoller;
import dev.tallyroll.fold.FoldSweep;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Runs.Polling;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * As {@link Pace}, with FOLD: plays clients of the extension, and counts the billed amounts.
 *
 * @param documents how many there are, each with one field that is counted
 * @param rate increments a second of each document
 * @param clients how many there are for each document, with a shard each; 0: each increment is on a
 *     new shard
 */
public record FoldPace(
    int documents, double rate, int clients, RunSettings settings, Assumed assumed) {
  private static final List<String> FIELD = List.of("visits");

  /** The amounts of a month. The same seed gives the same amounts. */
  public Usage month(long seed) {
    Playing playing = new Playing(seed);
    Usage steady = playing.steady();
    double sweeps = (double) Pace.MONTH.toMillis() / Pace.BETWEEN_SWEEPS.toMillis();
    return steady.plus(playing.sweep(), sweeps);
  }

  private final class Playing {
    private final World world;
    private final FoldDatabase folds;
    private final Rollers rollers;
    private final BilledInstances instances;
    private final Random random;
    private long increments;
    private long events;
    private boolean goesOn = true;

    Playing(long seed) {
      world = new World(new Faults(seed, /* level= */ 0), settings, () -> Duration.ZERO);
      world.time.maxSteps = Pace.MAX_STEPS;
      world.faults.leg = assumed.leg();
      random = new Random(seed);
      folds = new FoldDatabase(world, List.of());
      rollers =
          new Rollers(world, Layout.DEFAULT) {
            @Override
            Runs runs(World.Instance on, SimulatedFirestore firestore, Optional<Polling> polling) {
              return new Runs(
                  worker ->
                      new FoldRoller(folds(on), Set.of(), world.history, settings, worker, on),
                  firestore,
                  Optional.empty(),
                  this,
                  world.history,
                  on,
                  settings);
            }
          };
      rollers.slot = assumed.slot();
      int number = Math.max(1, (int) Math.ceil(rate * documents / assumed.eventsPerInstance()));
      instances = new BilledInstances(world.time, assumed, number);
      List<FoldHandler> handlers =
          IntStream.range(0, number).mapToObj(i -> handler(world.instance())).toList();
      folds.onCreation(
          (document, at) -> {
            events++;
            int instance = random.nextInt(number);
            world.time.after(
                assumed.delay(),
                () -> instances.handle(instance, () -> handlers.get(instance).written(document)));
          });
    }

    private FoldHandler handler(World.Instance on) {
      return new FoldHandler(folds(on), Set.of(), rollers, world.history, on, settings.timing());
    }

    private SimulatedFolds folds(World.Instance on) {
      return new SimulatedFolds(world, folds, world.connect(on, Layout.DEFAULT));
    }

    /** The amounts after a warm-up, scaled to a month. */
    Usage steady() {
      rollers.everyMinute();
      next();
      world.time.pass(Pace.WARM_UP);
      Usage before = measured();
      Duration span = Pace.span(rate * documents);
      world.time.pass(span);
      return Usage.NOTHING.plus(
          measured().plus(before, -1), (double) Pace.MONTH.toMillis() / span.toMillis());
    }

    private void next() {
      double seconds = -StrictMath.log(1 - random.nextDouble()) / (rate * documents);
      world.time.after(
          Duration.ofNanos((long) (seconds * 1e9)),
          () -> {
            if (goesOn) {
              increment();
              next();
            }
          });
    }

    private void increment() {
      String document = "pages/" + random.nextInt(documents);
      String client = "client-" + (clients == 0 ? increments : random.nextInt(clients));
      folds.increment(document, client, Map.of(FIELD, 1L));
      increments++;
    }

    private Usage measured() {
      return new Usage(
          increments,
          events,
          /* sums= */ 0,
          folds.reads + world.calls(Call.READ_RUN),
          folds.writes + folds.shown + world.calls(Call.CLAIM_RUN),
          folds.deletes + world.calls(Call.RELEASE_RUN),
          folds.shown,
          instances.seconds(),
          rollers.billed().toMillis() / 1e3,
          rollers.messages,
          world.history.logged + rollers.messages,
          folds.maxLag.toMillis() / 1e3);
    }

    /** The amounts of one sweep, without increments. */
    Usage sweep() {
      goesOn = false;
      world.time.pass(settings.timing().lease().multipliedBy(2).plusMinutes(1));
      IntStream.range(0, documents).forEach(it -> folds.checkAllMoved("pages/" + it));
      Usage before = measured();
      World.Instance on = world.instance();
      Instant began = world.time.now();
      var swept = new FoldSweep(folds(on), Set.of(), world.history, on, settings.sweep()).run();
      world.time.run(Duration.ofMinutes(1), swept::isDone);
      Duration took = Pace.inSlots(Duration.between(began, world.time.now()), assumed.slot());
      Usage with = measured().plus(before, -1);
      return new Usage(
          0,
          0,
          0,
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
}
