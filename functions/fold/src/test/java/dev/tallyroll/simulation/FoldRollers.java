package dev.tallyroll.simulation;

import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.fold.FoldRoller;
import dev.tallyroll.fold.FoldSweep;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Runs.Polling;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The functions with FOLD. */
final class FoldRollers extends Rollers {
  private final World world;
  private final FoldDatabase folds;
  private final Set<List<String>> wanted;

  /**
   * @param wanted the fields that are moved; empty for all
   */
  FoldRollers(World world, FoldDatabase folds, List<List<String>> wanted) {
    super(world, Layout.DEFAULT);
    this.world = world;
    this.folds = folds;
    this.wanted = Set.copyOf(wanted);
  }

  @Override
  Runs runs(World.Instance on, SimulatedFirestore firestore, Optional<Polling> polling) {
    return new Runs(
        worker -> new FoldRoller(store(on), wanted, world.history, world.settings, worker, on),
        firestore,
        Optional.empty(),
        this,
        world.history,
        on,
        world.settings);
  }

  private SimulatedFolds store(World.Instance on) {
    return new SimulatedFolds(world, folds, world.connect(on, Layout.DEFAULT));
  }

  FoldHandler handler(World.Instance on) {
    return new FoldHandler(store(on), wanted, this, world.history, on, world.timing);
  }

  /** Sweeps everything, a part at a time. */
  void sweep() {
    World.Instance on = world.instance();
    SimulatedFirestore runs = world.connect(on, Layout.DEFAULT);
    FoldSweep sweep = new FoldSweep(store(on), runs, wanted, world.history, world.settings, on);
    world.sweep(on, sweep::run);
  }
}
