package dev.tallyroll.simulation;

import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
    return new Playing(seed).month(/* share= */ 1);
  }

  private final class Playing extends SteadyLoad {
    private final FoldDatabase folds = new FoldDatabase(world, List.of());
    private final FoldRollers rollers = new FoldRollers(world, folds, List.of());
    private final List<FoldHandler> handling;
    private long events;

    Playing(long seed) {
      super(rate * documents, settings, assumed, seed);
      rollers.slot = assumed.slot();
      handling = Stream.generate(() -> rollers.handler(world.instance())).limit(instances).toList();
      folds.onCreation(
          (shard, at) -> {
            events++;
            deliver(instance -> handling.get(instance).written(shard));
          });
    }

    @Override
    void begin() {
      rollers.everyMinute();
    }

    @Override
    void increment() {
      String document = "pages/" + random.nextInt(documents);
      String client = "client-" + (clients == 0 ? increments : random.nextInt(clients));
      folds.increment(document, client, Map.of(FIELD, 1L));
      increments++;
    }

    @Override
    Usage measured() {
      return new Usage(
          increments,
          events,
          /* sums= */ 0,
          folds.reads + world.calls(Call.READ_RUN),
          folds.writes + folds.shown + world.calls(Call.CLAIM_RUN),
          folds.deletes + world.calls(Call.RELEASE_RUN),
          folds.shown,
          handlers.seconds(),
          rollers.billed().toMillis() / 1e3,
          rollers.messages,
          world.history.logged + rollers.messages,
          folds.maxLag.toMillis() / 1e3);
    }

    @Override
    void sweepAll() {
      IntStream.range(0, documents).forEach(it -> folds.checkAllMoved("pages/" + it));
      rollers.sweep();
    }
  }
}
