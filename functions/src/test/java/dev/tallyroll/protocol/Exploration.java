package dev.tallyroll.protocol;

import dev.tallyroll.protocol.SmallSteps.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Visits every state that a small world can reach, the nearest first, whatever the order of calls,
 * deliveries, failures and crashes; and from each lets the faults end, and everything settle. Entry
 * for other class loaders, which bring a mutant of the protocol's code.
 */
public final class Exploration {
  private static final int MOST_SETTLING_STEPS = 100;
  private static final int PAUSE = 10;

  private final Bounds bounds;
  private final Set<Long> seen = new HashSet<>();
  private final Deque<SmallWorld> frontier = new ArrayDeque<>();
  private final Set<Step> taken = EnumSet.of(Step.FAULTS_END);

  Exploration(Bounds bounds) {
    this.bounds = bounds;
  }

  /** A promise that does not hold, and the history that shows it. */
  static final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;
    private final int steps;

    BrokenPromise(String promise, SmallWorld world) {
      super("broken: " + promise + "\n" + world);
      this.steps = world.steps();
    }
  }

  /**
   * Explores small worlds until a promise is broken in one.
   *
   * @return the shortest history that does, as the number of its steps; -1 if there is none
   */
  public static long shortestBroken() {
    for (Bounds bounds : Bounds.worlds(0)) {
      try {
        new Exploration(bounds).run();
      } catch (BrokenPromise broken) {
        return broken.steps;
      }
    }
    return -1;
  }

  /**
   * Explores.
   *
   * @throws BrokenPromise with the shortest history that breaks one
   */
  void run() {
    reach(new SmallWorld(bounds));
    while (!frontier.isEmpty()) {
      SmallWorld world = frontier.remove();
      new SmallSteps(world, (step, action) -> take(world, step, action)).all();
    }
  }

  int states() {
    return seen.size();
  }

  Set<Step> taken() {
    return taken;
  }

  private void take(SmallWorld from, Step step, Consumer<SmallWorld> action) {
    taken.add(step);
    reach(from.after(step, action));
  }

  private void reach(SmallWorld world) {
    world.check();
    if (seen.add(world.fingerprint())) {
      frontier.add(world);
      end(world.after(Step.FAULTS_END, copy -> {}));
    }
  }

  /** Lets all be done that is left to do, one after another, and checks the total. */
  private static void end(SmallWorld world) {
    while (!world.shards.areAllVisible()) {
      world.showLate();
    }
    while (!world.ghosts.isEmpty()) {
      var unused = world.write(world.ghosts.remove(0));
    }
    settle(world);
    if (world.losses < world.bounds.losses()) {
      world.sweep = SmallSweep.begin(world);
      settle(world);
    }
    world.checkRight("once faults have ended, the total becomes right");
  }

  private static void settle(SmallWorld world) {
    for (int steps = 0; work(world); steps++) {
      world.require(steps < MOST_SETTLING_STEPS, "once faults have ended, all is done soon");
    }
  }

  private static boolean work(SmallWorld world) {
    return handled(world) || rolled(world) || swept(world) || delivered(world) || lookedFor(world);
  }

  private static boolean handled(SmallWorld world) {
    for (int i = 0; i < world.handlers.size(); i++) {
      if (world.handlers.get(i).underWay() != null) {
        world.handlers.set(i, world.handlers.get(i).step(world));
        return true;
      }
    }
    return false;
  }

  private static boolean rolled(SmallWorld world) {
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

  private static boolean swept(SmallWorld world) {
    boolean underWay = world.sweep.isUnderWay();
    if (underWay) {
      world.sweep = world.sweep.step(world);
    }
    return underWay;
  }

  private static boolean delivered(SmallWorld world) {
    for (int event = 0; event < world.shards.events(); event++) {
      if (world.shards.event(event) == SmallShards.PENDING) {
        world.handlers.set(0, world.handlers.get(0).deliver(world, event));
        return true;
      }
    }
    return false;
  }

  private static boolean lookedFor(SmallWorld world) {
    boolean live = world.isLive();
    if (live) {
      world.rollers.set(0, world.rollers.get(0).query(world));
    }
    return live;
  }
}
