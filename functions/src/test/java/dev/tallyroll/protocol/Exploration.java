package dev.tallyroll.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Visits every state that a small world can reach, the nearest first, whatever the order of calls,
 * deliveries, failures and crashes; and from a part of them lets the faults end, and everything
 * settle.
 */
final class Exploration {
  private final Bounds bounds;
  private final int settleEvery;
  private final Set<Long> seen = new HashSet<>();
  private final Deque<SmallWorld> frontier = new ArrayDeque<>();
  private final Set<Step> taken = EnumSet.noneOf(Step.class);
  private long states;

  /**
   * @param settleEvery how many states there are for each that is settled
   */
  Exploration(Bounds bounds, int settleEvery) {
    this.bounds = bounds;
    this.settleEvery = settleEvery;
  }

  /**
   * Explores.
   *
   * @throws AssertionError with the shortest history that breaks a promise
   */
  Exploration run() {
    reach(new SmallWorld(bounds));
    while (!frontier.isEmpty()) {
      SmallWorld world = frontier.remove();
      new SmallSteps(world, (step, action) -> take(world, step, action)).all();
    }
    return this;
  }

  long states() {
    return states;
  }

  Set<Step> taken() {
    return taken;
  }

  private void reach(SmallWorld world) {
    world.check();
    if (!seen.add(world.fingerprint())) {
      return;
    }
    frontier.add(world);
    if (states++ % settleEvery == 0) {
      taken.add(Step.FAULTS_END);
      Settling.of(world);
    }
  }

  private void take(SmallWorld from, Step step, Consumer<SmallWorld> action) {
    taken.add(step);
    reach(from.after(step, action));
  }
}
