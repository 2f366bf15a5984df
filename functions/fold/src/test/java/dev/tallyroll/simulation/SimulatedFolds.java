package dev.tallyroll.simulation;

import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.fold.FoldStore;
import dev.tallyroll.fold.Plan;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.simulation.Faults.Kind;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The shards of an app on a process's connection, with its delays and faults. */
class SimulatedFolds implements FoldStore {
  private final World world;
  private final FoldDatabase folds;
  private final SimulatedFirestore connection;

  SimulatedFolds(World world, FoldDatabase folds, SimulatedFirestore connection) {
    this.world = world;
    this.folds = folds;
    this.connection = connection;
  }

  @Override
  public FoldLayout layout() {
    return FoldDatabase.LAYOUT;
  }

  @Override
  public CompletableFuture<Page> read(String document, String after, int limit) {
    return connection.call(Call.READ, () -> folds.read(document, after, limit));
  }

  @Override
  public CompletableFuture<Named> read(String document, List<String> ids) {
    return connection.call(Call.READ, () -> folds.read(document, ids));
  }

  @Override
  public CompletableFuture<Map<String, Object>> fields(String document, Set<List<String>> fields) {
    folds.reads++;
    return connection.call(Call.DOCUMENT, () -> folds.fields(document));
  }

  /** The network may send a batch again, seconds later. */
  @Override
  public CompletableFuture<Outcome> move(String document, Plan plan) {
    Supplier<Outcome> batch = () -> folds.move(document, plan);
    if (world.faults.happens(Kind.REPEATED_WRITE, 0.05)) {
      world.time.after(world.faults.upTo(Timing.LONGEST_CALL), () -> folds.move(document, plan));
    }
    return connection.write(Call.WRITE, batch);
  }

  @Override
  public CompletableFuture<Void> enter(String document) {
    return connection.write(Call.WRITE, () -> nothing(() -> folds.enter(document)));
  }

  private static Void nothing(Runnable effect) {
    effect.run();
    return null;
  }

  @Override
  public CompletableFuture<LiveList> live(Part part) {
    return list(entry -> part.holds(layout().liveId(entry.document())));
  }

  @Override
  public CompletableFuture<LiveList> liveSince(Instant since) {
    return list(entry -> entry.updateTime().isAfter(since));
  }

  private CompletableFuture<LiveList> list(Predicate<Entry> wanted) {
    return connection.call(
        Call.LIVE,
        () -> {
          List<Entry> found = folds.live.values().stream().filter(wanted).toList();
          folds.reads += Math.max(1, found.size());
          return new LiveList(found, world.database.tick(), /* cut= */ false);
        });
  }

  @Override
  public CompletableFuture<Void> remove(Entry entry) {
    return connection.write(Call.REMOVE_ENTRY, () -> nothing(() -> folds.remove(entry)));
  }

  @Override
  public CompletableFuture<SweptPage> page(String start, String after, int limit) {
    return connection.call(Call.PAGE, () -> folds.page(start, after, limit));
  }
}
