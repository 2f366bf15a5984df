package dev.tallyroll.protocol;

/** Ends the faults of a small world and lets all be done that is left to do, one after another. */
final class Settling {
  private static final int MOST_STEPS = 100;
  private static final int PAUSE = 10;

  private final SmallWorld world;

  private Settling(SmallWorld world) {
    this.world = world;
  }

  /** Settles a copy of the world, and checks its total. */
  static void of(SmallWorld from) {
    new Settling(from.after(Step.FAULTS_END, world -> {})).run();
  }

  private void run() {
    while (!world.shards.areAllVisible()) {
      world.showLate();
    }
    while (!world.ghosts.isEmpty()) {
      var unused = world.write(world.ghosts.remove(0));
    }
    settle();
    if (world.losses < world.bounds.losses()) {
      world.sweep = SmallSweep.begin(world);
      settle();
    }
    world.checkRight("once faults have ended, the total becomes right");
  }

  private void settle() {
    for (int steps = 0; work(); steps++) {
      world.require(steps < MOST_STEPS, "once faults have ended, all is done soon");
    }
  }

  private boolean work() {
    return handled() || rolled() || swept() || delivered() || lookedFor();
  }

  private boolean handled() {
    for (int i = 0; i < world.handlers.size(); i++) {
      if (world.handlers.get(i).underWay() != null) {
        world.handlers.set(i, world.handlers.get(i).step(world));
        return true;
      }
    }
    return false;
  }

  private boolean rolled() {
    for (int i = 0; i < world.rollers.size(); i++) {
      SmallRoller roller = world.rollers.get(i);
      if (roller.held() != null) {
        world.now += roller.isUnderWay() ? 0 : PAUSE;
        world.rollers.set(i, roller.step(world, true));
        return true;
      }
    }
    return false;
  }

  private boolean swept() {
    boolean underWay = world.sweep.isUnderWay();
    if (underWay) {
      world.sweep = world.sweep.step(world);
    }
    return underWay;
  }

  private boolean delivered() {
    for (int event = 0; event < world.shards.events(); event++) {
      if (world.shards.event(event) == SmallShards.PENDING) {
        world.handlers.set(0, world.handlers.get(0).deliver(world, event));
        return true;
      }
    }
    return false;
  }

  private boolean lookedFor() {
    boolean live = world.rollup.map(stored -> stored.lease().isPresent()).orElse(false);
    if (live) {
      if (world.rollers.isEmpty()) {
        world.rollers.add(SmallRoller.IDLE);
      }
      world.rollers.set(0, world.rollers.get(0).query(world));
    }
    return live;
  }
}
