package dev.tallyroll.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Visits every state that a small world can reach, the nearest first, whatever the order of calls,
 * deliveries, failures and crashes; and from a part of them lets the faults end, and everything
 * settle.
 */
final class Exploration {
  /** Long enough for a lease, and the slack, to run out. */
  private static final int PAUSE = 5;

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
      expand(frontier.remove());
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

  private void step(SmallWorld from, Step name, Consumer<SmallWorld> action) {
    taken.add(name);
    reach(from.after(name, action));
  }

  private void expand(SmallWorld world) {
    if (world.committed > world.visible) {
      step(world, Step.COMMIT_SEEN, SmallWorld::showLate);
    }
    for (int event = 0; event < world.visible; event++) {
      deliver(world, event);
    }
    if (!world.mayTick(1)) {
      return;
    }
    if (world.committed < world.stamps.length && world.visible == world.committed) {
      step(world, Step.COMMIT, SmallWorld::commit);
    }
    if (world.mayTick(PAUSE)) {
      step(world, Step.TIME_PASSES, next -> next.now += PAUSE);
    }
    for (int i = 0; i < world.handlers.size(); i++) {
      handle(world, i);
    }
    for (int i = 0; i < world.rollers.size(); i++) {
      roll(world, i);
    }
    sweep(world);
    for (int i = 0; i < world.ghosts.size(); i++) {
      int ghost = i;
      step(world, Step.GHOST_WRITES, next -> next.write(next.ghosts.remove(ghost)));
    }
  }

  private void deliver(SmallWorld world, int event) {
    boolean again =
        world.events[event] == SmallWorld.ACKNOWLEDGED
            || world.handlers.stream().anyMatch(handler -> handler.isBusyWith(event));
    if (world.events[event] == SmallWorld.LOST || (again && world.duplicates == 0)) {
      return;
    }
    for (int i = 0; i < world.handlers.size(); i++) {
      int handler = i;
      step(
          world,
          again ? Step.EVENT_AGAIN : Step.EVENT,
          next -> {
            next.duplicates -= again ? 1 : 0;
            next.handlers.set(handler, next.handlers.get(handler).deliver(next, event));
          });
    }
    if (!again && world.losses > 0) {
      step(
          world,
          Step.EVENT_LOST,
          next -> {
            next.losses--;
            next.events[event] = SmallWorld.LOST;
          });
    }
  }

  private void handle(SmallWorld world, int index) {
    SmallHandler handler = world.handlers.get(index);
    SmallHandler.Work work = handler.flying();
    if (work == null) {
      return;
    }
    Step call =
        !work.read()
            ? Step.HANDLER_READS
            : work.write() == null ? Step.HANDLER_SUMS : Step.HANDLER_WRITES;
    step(world, call, next -> next.handlers.set(index, handler.step(next)));
    if (world.faults == 0) {
      return;
    }
    fault(world, Step.HANDLER_CRASHES, next -> next.handlers.set(index, SmallHandler.NEW));
    fault(world, Step.HANDLER_FAILS, next -> next.handlers.set(index, handler.land(next, false)));
    Optional.ofNullable(work.write())
        .ifPresent(
            write -> {
              fault(
                  world,
                  Step.HANDLER_WRITES_TWICE,
                  next -> next.handlers.set(index, handler.writeTwice(next)));
              fault(
                  world,
                  Step.HANDLER_LOSES_REPLY,
                  next -> next.handlers.set(index, handler.loseReply(next)));
              fault(
                  world,
                  Step.HANDLER_GIVES_UP,
                  next -> {
                    next.ghosts.add(write.change());
                    next.handlers.set(index, handler.land(next, false));
                  });
            });
  }

  private void roll(SmallWorld world, int index) {
    SmallRoller roller = world.rollers.get(index);
    if (!roller.isInFlight()
        && world.rollup.map(stored -> stored.lease().isPresent()).orElse(false)) {
      step(world, Step.ROLLER_LOOKS, next -> next.rollers.set(index, roller.query(next)));
    }
    if (roller.held() == null) {
      return;
    }
    Step call =
        roller.refused()
            ? Step.ROLLER_READS_AGAIN
            : roller.due() == null ? Step.ROLLER_SUMS : Step.ROLLER_WRITES;
    step(world, call, next -> next.rollers.set(index, roller.step(next, true)));
    if (!roller.isInFlight()) {
      step(world, Step.ROLLER_SUMS_IDLY, next -> next.rollers.set(index, roller.step(next, false)));
    }
    if (world.faults == 0) {
      return;
    }
    fault(world, Step.ROLLER_CRASHES, next -> next.rollers.set(index, SmallRoller.IDLE));
    RollerDecision due = roller.due();
    if (due != null) {
      fault(
          world,
          Step.ROLLER_WRITES_TWICE,
          next -> next.rollers.set(index, roller.write(next, applied -> Optional.empty())));
      fault(
          world,
          Step.ROLLER_LOSES_REPLY,
          next -> {
            var unused = roller.write(next, applied -> applied);
            next.rollers.set(index, roller.fail());
          });
      fault(
          world,
          Step.ROLLER_GIVES_UP,
          next -> {
            next.ghosts.add(changeOf(due));
            next.rollers.set(index, roller.fail());
          });
    }
  }

  private static Change changeOf(RollerDecision due) {
    return due instanceof RollerDecision.Write write
        ? write.change()
        : ((RollerDecision.Settle) due).change();
  }

  private void fault(SmallWorld world, Step name, Consumer<SmallWorld> action) {
    step(
        world,
        name,
        next -> {
          next.faults--;
          action.accept(next);
        });
  }

  private void sweep(SmallWorld world) {
    if (world.sweep.isUnderWay()) {
      step(world, Step.SWEEP_GOES_ON, next -> next.sweep = next.sweep.step(next));
    } else if (world.sweeps > 0) {
      step(
          world,
          Step.SWEEP_READS,
          next -> {
            next.sweeps--;
            next.sweep = SmallSweep.begin(next);
          });
    }
  }
}
