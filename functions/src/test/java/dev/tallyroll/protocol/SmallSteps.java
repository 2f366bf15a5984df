package dev.tallyroll.protocol;

import java.util.Optional;
import java.util.function.Consumer;

/** What may happen next in a small world. */
final class SmallSteps {
  enum Step {
    COMMIT,
    COMMIT_SEEN,
    TIME_PASSES,
    EVENT,
    EVENT_AGAIN,
    EVENT_LOST,
    HANDLER_READS,
    HANDLER_SUMS,
    HANDLER_WRITES,
    HANDLER_CRASHES,
    HANDLER_FAILS,
    HANDLER_WRITES_TWICE,
    HANDLER_LOSES_REPLY,
    HANDLER_GIVES_UP,
    ROLLER_LOOKS,
    ROLLER_SUMS,
    ROLLER_SUMS_IDLY,
    ROLLER_WRITES,
    ROLLER_READS_AGAIN,
    ROLLER_CRASHES,
    ROLLER_WRITES_TWICE,
    ROLLER_LOSES_REPLY,
    ROLLER_GIVES_UP,
    SWEEP_READS,
    SWEEP_GOES_ON,
    /** A write takes effect whose caller has given up or crashed. */
    GHOST_WRITES,
    FAULTS_END
  }

  /** Is shown each step that may be taken. */
  interface Taker {
    void take(Step step, Consumer<SmallWorld> action);
  }

  /** Long enough for a lease, and the slack, to run out. */
  private static final int PAUSE = 5;

  private final SmallWorld world;
  private final Taker taker;

  SmallSteps(SmallWorld world, Taker taker) {
    this.world = world;
    this.taker = taker;
  }

  void all() {
    if (!world.shards.areAllVisible()) {
      taker.take(Step.COMMIT_SEEN, SmallWorld::showLate);
    }
    for (int event = 0; event < world.shards.visible(); event++) {
      deliver(event);
    }
    if (world.mayTick(1)) {
      calls();
    }
  }

  private void calls() {
    if (world.shards.hasMore() && world.shards.areAllVisible()) {
      taker.take(Step.COMMIT, SmallWorld::commit);
    }
    if (world.mayTick(PAUSE)) {
      taker.take(Step.TIME_PASSES, next -> next.now += PAUSE);
    }
    for (int i = 0; i < world.handlers.size(); i++) {
      handle(i);
    }
    for (int i = 0; i < world.rollers.size(); i++) {
      roll(i);
    }
    sweep();
    for (int i = 0; i < world.ghosts.size(); i++) {
      int ghost = i;
      taker.take(Step.GHOST_WRITES, next -> next.write(next.ghosts.remove(ghost)));
    }
  }

  private void deliver(int event) {
    int state = world.shards.event(event);
    boolean again =
        state == SmallShards.ACKNOWLEDGED
            || world.handlers.stream().anyMatch(handler -> handler.isBusyWith(event));
    if (state == SmallShards.LOST || (again && world.duplicates == 0)) {
      return;
    }
    for (int i = 0; i < world.handlers.size(); i++) {
      int handler = i;
      taker.take(
          again ? Step.EVENT_AGAIN : Step.EVENT,
          next -> {
            next.duplicates -= again ? 1 : 0;
            next.handlers.set(handler, next.handlers.get(handler).deliver(next, event));
          });
    }
    if (!again && world.losses > 0) {
      taker.take(
          Step.EVENT_LOST,
          next -> {
            next.losses--;
            next.shards.become(event, SmallShards.LOST);
          });
    }
  }

  private void handle(int index) {
    SmallHandler handler = world.handlers.get(index);
    SmallHandler.Work work = handler.underWay();
    if (work == null) {
      return;
    }
    Step call =
        !work.read()
            ? Step.HANDLER_READS
            : work.write() == null ? Step.HANDLER_SUMS : Step.HANDLER_WRITES;
    taker.take(call, next -> next.handlers.set(index, handler.step(next)));
    fault(Step.HANDLER_CRASHES, next -> next.handlers.set(index, SmallHandler.NEW));
    fault(Step.HANDLER_FAILS, next -> next.handlers.set(index, handler.end(next, false)));
    Optional.ofNullable(work.write())
        .ifPresent(write -> failedWrite(index, handler, write.change()));
  }

  private void failedWrite(int index, SmallHandler handler, Change change) {
    fault(Step.HANDLER_WRITES_TWICE, next -> next.handlers.set(index, handler.writeTwice(next)));
    fault(Step.HANDLER_LOSES_REPLY, next -> next.handlers.set(index, handler.loseReply(next)));
    fault(
        Step.HANDLER_GIVES_UP,
        next -> {
          next.ghosts.add(change);
          next.handlers.set(index, handler.end(next, false));
        });
  }

  private void roll(int index) {
    SmallRoller roller = world.rollers.get(index);
    if (!roller.isUnderWay() && world.isLive()) {
      taker.take(Step.ROLLER_LOOKS, next -> next.rollers.set(index, roller.query(next)));
    }
    if (roller.held() == null) {
      return;
    }
    Step call =
        roller.refused()
            ? Step.ROLLER_READS_AGAIN
            : roller.due() == null ? Step.ROLLER_SUMS : Step.ROLLER_WRITES;
    taker.take(call, next -> next.rollers.set(index, roller.step(next, true)));
    if (!roller.isUnderWay()) {
      taker.take(Step.ROLLER_SUMS_IDLY, next -> next.rollers.set(index, roller.step(next, false)));
    }
    fault(Step.ROLLER_CRASHES, next -> next.rollers.set(index, SmallRoller.IDLE));
    RollerDecision due = roller.due();
    if (due != null) {
      failedWrite(index, roller, due);
    }
  }

  private void failedWrite(int index, SmallRoller roller, RollerDecision due) {
    fault(
        Step.ROLLER_WRITES_TWICE,
        next -> next.rollers.set(index, roller.write(next, applied -> Optional.empty())));
    fault(
        Step.ROLLER_LOSES_REPLY,
        next -> {
          var unused = roller.write(next, applied -> applied);
          next.rollers.set(index, roller.fail());
        });
    fault(
        Step.ROLLER_GIVES_UP,
        next -> {
          next.ghosts.add(changeOf(due));
          next.rollers.set(index, roller.fail());
        });
  }

  private static Change changeOf(RollerDecision due) {
    return due instanceof RollerDecision.Write write
        ? write.change()
        : ((RollerDecision.Settle) due).change();
  }

  private void fault(Step name, Consumer<SmallWorld> action) {
    if (world.faults > 0) {
      taker.take(
          name,
          next -> {
            next.faults--;
            action.accept(next);
          });
    }
  }

  private void sweep() {
    if (world.sweep.isUnderWay()) {
      taker.take(Step.SWEEP_GOES_ON, next -> next.sweep = next.sweep.step(next));
    } else if (world.sweeps > 0) {
      taker.take(
          Step.SWEEP_READS,
          next -> {
            next.sweeps--;
            next.sweep = SmallSweep.begin(next);
          });
    }
  }
}
