package dev.tallyroll.protocol;

import dev.tallyroll.protocol.SmallSteps.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Visits every state that a small world can reach by any order of calls, deliveries, failures and
 * crashes, the nearest first. From each state, it lets the faults end and everything settle. Other
 * class loaders, which bring a mutant of the protocol's code, call this class.
 */
public final class Exploration {
  private static final int MOST_SETTLING_STEPS = 300;

  final Set<Step> taken = EnumSet.of(Step.FAULTS_END);
  private final Bounds bounds;
  private final Set<Object> seen = new HashSet<>();
  private final Deque<SmallWorld> frontier = new ArrayDeque<>();

  Exploration(Bounds bounds) {
    this.bounds = bounds;
  }

  /** A broken promise, with the history that breaks it. */
  static final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;
    private final int steps;

    BrokenPromise(String promise, SmallWorld world) {
      super("broken: " + promise + "\n" + world);
      this.steps = world.steps();
    }
  }

  /**
   * Explores small worlds until one breaks a promise.
   *
   * @param most how many steps a history may have
   * @return the shortest history that breaks one, as the number of its steps; -1 if there is none
   */
  public static long shortestBroken(long most) {
    for (Bounds bounds : Bounds.worlds(0)) {
      try {
        new Exploration(bounds).run(most);
      } catch (BrokenPromise broken) {
        return broken.steps;
      }
    }
    return -1;
  }

  /**
   * Explores one small world.
   *
   * @param most how many steps a history may have
   * @throws BrokenPromise with the shortest history that breaks one
   */
  void run(long most) {
    reach(new SmallWorld(bounds));
    while (!frontier.isEmpty() && frontier.element().steps() < most) {
      SmallWorld world = frontier.remove();
      new SmallSteps(world, (step, action) -> take(world, step, action)).all();
    }
  }

  int states() {
    return seen.size();
  }

  private void take(SmallWorld from, Step step, Consumer<SmallWorld> action) {
    taken.add(step);
    reach(from.after(step, action));
  }

  private void reach(SmallWorld world) {
    world.check();
    if (seen.add(world.state())) {
      frontier.add(world);
      end(world.after(Step.FAULTS_END, SmallWorld::end));
    }
  }

  /** Takes all steps that are left, one after another, and checks the total. */
  private static void end(SmallWorld world) {
    settle(world);
    if (world.needsSweep()) {
      world.sweep();
      settle(world);
    }
    for (int i = 0; i < world.polls.size(); i++) {
      int poll = i;
      SmallWorld polled = world.after(Step.POLL_READS, next -> next.poll(poll));
      settle(polled);
      polled.checkRight("once faults have ended, whoever polls next makes the total right");
    }
    if (world.polls.isEmpty()) {
      world.checkRight("once faults have ended, the total becomes right");
    }
  }

  private static void settle(SmallWorld world) {
    for (int steps = 0; SmallSteps.work(world); steps++) {
      world.require(steps < MOST_SETTLING_STEPS, "once faults have ended, all is done soon");
    }
  }
}
