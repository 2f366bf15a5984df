package dev.tallyroll.simulation;

import dev.tallyroll.fold.FirestoreFolds;
import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.fold.FoldRoller;
import dev.tallyroll.fold.FoldSweep;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.store.FirestoreStore;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The functions with FOLD. */
final class FoldRollers extends Rollers {
  private final World world;
  private final Folds folds;
  private final Set<FieldName> wanted;

  /**
   * @param wanted the fields that are moved; empty for all
   */
  FoldRollers(World world, Folds folds, List<List<String>> wanted) {
    super(world, Layout.DEFAULT);
    this.world = world;
    this.folds = folds;
    this.wanted = wanted.stream().map(FieldName::new).collect(Collectors.toSet());
  }

  @Override
  Runs runs(World.Instance on, FirestoreStore unused) {
    FirestoreFolds store = folds.store(on);
    return new Runs(
        FoldRoller.all(store, wanted, world.history, world.settings, world.timing, on),
        store.runs(),
        this,
        world.history,
        on,
        world.settings);
  }

  FoldHandler handler(World.Instance on) {
    return new FoldHandler(folds.handlerStore(on), wanted, this, world.history, on, world.timing);
  }

  /** Sweeps everything, a part at a time. */
  void sweep() {
    World.Instance on = world.instance();
    FirestoreFolds store = folds.store(on);
    FoldSweep sweep = new FoldSweep(store, store.runs(), wanted, world.history, world.settings, on);
    world.sweep(on, () -> World.completes(sweep.run(PassKind.PART)));
  }
}
