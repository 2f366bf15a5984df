package dev.tallyroll.protocol;

import dev.tallyroll.protocol.SmallWorld.Ghost;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** The steps that are possible next in a small world. */
final class SmallSteps {
  /** The steps up to ROLLER_LOOKS, in this order, lead to the end, where everything has settled. */
  enum Step {
    COMMIT_SEEN,
    /** A write takes effect after its caller has given up or crashed. */
    GHOST_WRITES,
    HANDLER_READS,
    HANDLER_SUMS,
    HANDLER_WRITES,
    ROLLER_REMOVES_ENTRY,
    ROLLER_READS,
    ROLLER_SUMS,
    ROLLER_WRITES,
    SWEEP_GOES_ON,
    POLLER_READS,
    POLLER_SUMS,
    POLLER_WRITES,
    EVENT,
    ROLLER_LOOKS,

    COMMIT,
    TIME_PASSES,
    EVENT_AGAIN,
    EVENT_LOST,
    HANDLER_CRASHES,
    HANDLER_FAILS,
    HANDLER_WRITES_TWICE,
    HANDLER_LOSES_REPLY,
    HANDLER_GIVES_UP,
    ROLLER_SUMS_IDLY,
    ROLLER_CRASHES,
    ROLLER_WRITES_TWICE,
    ROLLER_LOSES_REPLY,
    ROLLER_GIVES_UP,
    SWEEP_READS,
    POLLER_POLLS,
    POLLER_TICKS,
    POLLER_CRASHES,
    POLLER_WRITES_TWICE,
    POLLER_LOSES_REPLY,
    POLLER_GIVES_UP,
    FAULTS_END
  }

  /** Takes each possible step. */
  interface Taker {
    void take(Step step, Consumer<SmallWorld> action);
  }

  /** Longer than a lease and the slack. */
  private static final int PAUSE = 5;

  private final SmallWorld world;
  private final Taker taker;

  SmallSteps(SmallWorld world, Taker taker) {
    this.world = world;
    this.taker = taker;
  }

  /**
   * Takes the first step that leads to the end.
   *
   * @return whether there was one
   */
  static boolean work(SmallWorld world) {
    Map<Step, Consumer<SmallWorld>> steps = new EnumMap<>(Step.class);
    new SmallSteps(world, steps::putIfAbsent).all();
    return steps.entrySet().stream()
        .findFirst()
        .filter(first -> first.getKey().compareTo(Step.ROLLER_LOOKS) <= 0)
        .map(
            first -> {
              first.getValue().accept(world);
              return true;
            })
        .orElse(false);
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
      handle(i, world.handlers.get(i));
    }
    for (int i = 0; i < world.rollers.size(); i++) {
      roll(i, world.rollers.get(i));
    }
    sweep();
    for (int i = 0; i < world.pollers.size(); i++) {
      poll(i, world.pollers.get(i));
    }
    for (int i = 0; i < world.ghosts.size(); i++) {
      if (world.now < world.ghosts.get(i).until()) {
        int ghost = i;
        taker.take(Step.GHOST_WRITES, next -> next.write(next.ghosts.remove(ghost).change()));
      }
    }
  }

  private void deliver(int event) {
    SmallShards.Event state = world.shards.event(event);
    boolean again =
        state == SmallShards.Event.ACKNOWLEDGED
            || world.handlers.stream().anyMatch(handler -> handler.isBusyWith(event));
    if (state == SmallShards.Event.LOST || (again && world.duplicates == 0)) {
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
            next.shards.become(event, SmallShards.Event.LOST);
          });
    }
  }

  private void handle(int index, SmallHandler handler) {
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
    if (work.write() != null) {
      failedWrite(
          "HANDLER",
          work.write(),
          Integer.MAX_VALUE,
          next -> next.handlers.set(index, handler.refused()),
          next -> next.handlers.set(index, handler.end(next, false)));
    }
  }

  private void roll(int index, SmallRoller roller) {
    if (!roller.isWriting() && world.entry.isPresent()) {
      taker.take(Step.ROLLER_LOOKS, next -> next.rollers.set(index, roller.query(next)));
    }
    if (roller.entry().isEmpty()) {
      return;
    }
    Step call = Step.ROLLER_SUMS;
    if (roller.isWriting()) {
      call = roller.leftOver() ? Step.ROLLER_REMOVES_ENTRY : Step.ROLLER_WRITES;
    } else if (roller.isUnknown()) {
      call = Step.ROLLER_READS;
    }
    taker.take(call, next -> next.rollers.set(index, roller.step(next, true)));
    if (call == Step.ROLLER_SUMS) {
      taker.take(Step.ROLLER_SUMS_IDLY, next -> next.rollers.set(index, roller.step(next, false)));
    }
    fault(Step.ROLLER_CRASHES, next -> next.rollers.set(index, SmallRoller.IDLE));
    if (roller.due() != null) {
      failedWrite(
          "ROLLER",
          roller.due(),
          Integer.MAX_VALUE,
          next -> next.rollers.set(index, roller.forget()),
          next -> next.rollers.set(index, roller.forget()));
    }
  }

  /** The write takes effect, but its repetition is refused or its reply lost; or it is given up. */
  private void failedWrite(
      String who,
      Change change,
      int until,
      Consumer<SmallWorld> refused,
      Consumer<SmallWorld> failed) {
    Consumer<SmallWorld> write = next -> next.write(change);
    fault(Step.valueOf(who + "_WRITES_TWICE"), write.andThen(refused));
    fault(Step.valueOf(who + "_LOSES_REPLY"), write.andThen(failed));
    fault(
        Step.valueOf(who + "_GIVES_UP"),
        failed.andThen(next -> next.ghosts.add(new Ghost(change, until))));
  }

  private void fault(Step name, Consumer<SmallWorld> action) {
    if (world.faults > 0) {
      taker.take(name, action.andThen(next -> next.faults--));
    }
  }

  private void poll(int index, SmallPoller poller) {
    taker.take(Step.POLLER_POLLS, next -> next.poll(index));
    if (!poller.mayCall(world.now)) {
      return;
    }
    Step call =
        switch (poller.next()) {
          case NONE -> Step.POLLER_TICKS;
          case READ -> Step.POLLER_READS;
          case SUM -> Step.POLLER_SUMS;
          case WRITE -> Step.POLLER_WRITES;
        };
    SmallPoller rolling = call == Step.POLLER_TICKS ? poller.begin(world.now) : poller;
    taker.take(call, next -> next.pollers.set(index, rolling.step(next)));
    fault(Step.POLLER_CRASHES, next -> next.pollers.set(index, SmallPoller.NEW));
    if (poller.due() != null) {
      failedWrite(
          "POLLER",
          poller.due(),
          world.now + SmallPoller.LONGEST_CALL,
          next -> next.pollers.set(index, poller.refused()),
          next -> next.pollers.set(index, poller.failed(next.now)));
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
