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
    POLL_SUMS,
    POLL_WRITES,
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
    HANDLER_OWES_FIELDS,
    ROLLER_OWES_FIELDS,
    ROLLER_CRASHES,
    ROLLER_WRITES_TWICE,
    ROLLER_LOSES_REPLY,
    ROLLER_GIVES_UP,
    SWEEP_READS,
    POLL_READS,
    POLL_CRASHES,
    POLL_WRITES_TWICE,
    POLL_LOSES_REPLY,
    POLL_GIVES_UP,
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
      follow(i, world.rollers.get(i));
    }
    sweep();
    for (int i = 0; i < world.polls.size(); i++) {
      poll(i, world.polls.get(i));
    }
    for (int i = 0; i < world.ghosts.size(); i++) {
      int ghost = i;
      taker.take(Step.GHOST_WRITES, next -> next.write(next.ghosts.remove(ghost).change()));
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
    if (handler.events().isIdle()) {
      return;
    }
    Step call = call("HANDLER", handler.underWay());
    taker.take(call, next -> next.handlers.set(index, handler.step(next)));
    fault(Step.HANDLER_CRASHES, next -> next.handlers.set(index, SmallHandler.NEW));
    fault(Step.HANDLER_FAILS, next -> next.handlers.set(index, handler.end(next, false)));
    if (call == Step.HANDLER_WRITES && world.showsFields()) {
      fault(
          Step.HANDLER_OWES_FIELDS,
          one -> one.refusingFields(next -> next.handlers.set(index, handler.step(next))));
    }
    if (call == Step.HANDLER_WRITES) {
      failedWrite(
          "HANDLER",
          ((Cycle.ToWrite<?>) handler.underWay()).change(),
          next -> next.handlers.set(index, handler.refused(next)),
          next -> next.handlers.set(index, handler.end(next, false)));
    }
  }

  private static Step call(String who, Cycle<?> cycle) {
    return Step.valueOf(
        who
            + (cycle instanceof Cycle.ToRead
                ? "_READS"
                : cycle instanceof Cycle.ToSum ? "_SUMS" : "_WRITES"));
  }

  private void follow(int index, SmallRoller roller) {
    boolean writes = roller.leftOver() || roller.due().isPresent();
    if (!writes && world.entry.isPresent()) {
      taker.take(Step.ROLLER_LOOKS, next -> next.rollers.set(index, roller.query(next)));
    }
    if (roller.entry().isEmpty()) {
      return;
    }
    Step call = roller.leftOver() ? Step.ROLLER_REMOVES_ENTRY : call("ROLLER", roller.present());
    taker.take(call, next -> next.rollers.set(index, roller.step(next)));
    if (call == Step.ROLLER_WRITES && world.showsFields()) {
      fault(
          Step.ROLLER_OWES_FIELDS,
          one -> one.refusingFields(next -> next.rollers.set(index, roller.step(next))));
    }
    fault(Step.ROLLER_CRASHES, next -> next.rollers.set(index, SmallRoller.idle(next)));
    roller
        .due()
        .ifPresent(
            change ->
                failedWrite(
                    "ROLLER",
                    change,
                    next -> next.rollers.set(index, roller.refused(next)),
                    next -> next.rollers.set(index, roller.failed())));
  }

  /** The write takes effect, but its repetition is refused or its reply lost; or it is given up. */
  private void failedWrite(
      String who, Change change, Consumer<SmallWorld> refused, Consumer<SmallWorld> failed) {
    Consumer<SmallWorld> write = next -> next.write(change);
    fault(Step.valueOf(who + "_WRITES_TWICE"), write.andThen(refused));
    fault(Step.valueOf(who + "_LOSES_REPLY"), write.andThen(failed));
    fault(
        Step.valueOf(who + "_GIVES_UP"),
        failed.andThen(next -> next.ghosts.add(new Ghost(change))));
  }

  private void fault(Step name, Consumer<SmallWorld> action) {
    if (world.faults > 0) {
      taker.take(name, action.andThen(next -> next.faults--));
    }
  }

  private void poll(int index, SmallPoll poll) {
    Step call = call("POLL", poll.next(world.timing));
    taker.take(call, next -> next.poll(index));
    if (poll.cycle().isEmpty()) {
      return;
    }
    fault(Step.POLL_CRASHES, next -> next.polls.set(index, SmallPoll.NEW));
    if (call == Step.POLL_WRITES) {
      Consumer<SmallWorld> failed = next -> next.polls.set(index, poll.failed());
      failedWrite("POLL", ((Cycle.ToWrite<?>) poll.cycle().get()).change(), failed, failed);
    }
  }

  private void sweep() {
    if (world.sweep.isPresent()) {
      taker.take(Step.SWEEP_GOES_ON, SmallWorld::sweep);
    } else if (world.sweeps > 0) {
      taker.take(
          Step.SWEEP_READS,
          next -> {
            next.sweeps--;
            next.sweep();
          });
    }
  }
}
