package dev.tallyroll.simulation;

import com.google.firestore.v1.Write;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A world whose steps are written down, since a seed would hardly ever draw them. */
final class Script implements Seeds.Play {
  /** The seed of the first script. */
  static final long FIRST = 1_000_000_000;

  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final String ROLLUP = "rollups/likes";
  private static final Duration TICK = Duration.ofSeconds(4);
  private static final Duration SLACK = Duration.ofSeconds(10);
  private static final Duration SOON = Duration.ofSeconds(1);

  /** The number of the first write of a roll-up for the third of some events. */
  private static final int OF_THE_THIRD_EVENT = 3;

  private static final List<Consumer<Script>> ALL =
      List.of(
          Script::refusedRoller,
          Script::refusalByAnOlderWrite,
          Script::leaseThatHasEnded,
          Script::leaseThatAStrangerSees,
          Script::documentsDeletedOneAfterAnother,
          Script::nameThatHasChanged,
          Script::nameThatHasChangedOfABusyCounter);

  /** The seed of the last script. */
  static final long LAST = FIRST + ALL.size() - 1;

  private final World world =
      World.scripted(new Timing(TICK, Duration.ofSeconds(20), SLACK, /* burst= */ 10));
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private final long seed;

  Script(long seed) {
    this.seed = seed;
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public String features() {
    return "script " + (seed - FIRST);
  }

  @Override
  public void play() {
    ALL.get((int) (seed - FIRST)).accept(this);
    world.time.pass(Duration.ofMinutes(2));
    world.checkExact();
  }

  private void put(long total) {
    world.put(LIKES, new Total.Whole(total));
  }

  private void require(boolean holds, String promise) {
    if (!holds) {
      throw new AssertionError(promise);
    }
  }

  private void requireShown(long total) {
    require(
        world
            .totals
            .rollup(LIKES)
            .filter(rollup -> rollup.total().longValue() == total)
            .isPresent(),
        "the total is shown in time");
  }

  /** Another writer, with an old total, comes between a roller's sum and its write. */
  private void refusedRoller() {
    world.makeLive(LIKES, Duration.ofMinutes(1));
    rollers.start(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(2));
    put(5);
    AtomicBoolean refused = new AtomicBoolean();
    world.beforeCommit =
        request -> {
          boolean writes = request.getWritesList().stream().anyMatch(Script::isRollup);
          if (writes && refused.compareAndSet(false, true)) {
            world.addField(ROLLUP);
          }
        };
    world.time.run(TICK, refused::get);
    world.time.pass(SOON);
    requireShown(5);
  }

  private static boolean isRollup(Write write) {
    return SimulatedServer.path(write).equals(ROLLUP);
  }

  /**
   * An instance has written since this one did, but long before this one's sum; and once, another
   * is faster when this one tries again.
   */
  private void refusalByAnOlderWrite() {
    world.putRollup(LIKES, 0, Optional.empty());
    ShardWrites[] handlers = {handler(), handler()};
    AtomicInteger writes = new AtomicInteger();
    world.beforeCommit =
        request -> {
          boolean counts = request.getWritesList().stream().anyMatch(Script::isRollup);
          if (counts && writes.incrementAndGet() == OF_THE_THIRD_EVENT + 1) {
            world.addField(ROLLUP);
          }
        };
    for (int i = 0; i < 6; i++) {
      int total = i + 1;
      Instant committed = world.put(LIKES, new Total.Whole(total));
      ShardWrites handler = handlers[i % 2];
      world.time.after(
          Duration.ofMillis(50),
          () -> {
            var unused = handler.written(world.event(LIKES, committed));
          });
      world.time.pass(Duration.ofSeconds(30));
      requireShown(total);
    }
    require(writes.get() > OF_THE_THIRD_EVENT + 1, "the third event's second write was refused");
    require(rollers.wakeUps.isEmpty(), "a few writes make no counter live");
  }

  private ShardWrites handler() {
    return world.handler(world.instance(), Layout.DEFAULT, rollers);
  }

  /**
   * A roller has crashed; the next one comes when the lease has ended, but SLACK has not passed.
   */
  private void leaseThatHasEnded() {
    world.makeLive(LIKES, SOON);
    world.time.pass(SOON.multipliedBy(2));
    put(7);
    rollers.start(/* wakeUp= */ false, 0);
    world.time.pass(SOON);
    requireShown(7);
  }

  /** The functions beside ours find shards by another field. */
  private void leaseThatAStrangerSees() {
    Rollers strangers = new Rollers(world, new Layout(Layout.DEFAULT.of(), "rollups", "Cnt"));
    world.makeLive(LIKES, SOON.multipliedBy(2).minus(SLACK)); // may be ended at the second tick
    strangers.new RollUpInstance().take(/* wakeUp= */ false, 0);
    world.time.pass(SOON);
    world.time.pass(Duration.ofMinutes(1));
    require(world.totals.isLive(LIKES), "a stranger ends no lease");
  }

  /** Functions with another name have left a lease, which is on the list of that name. */
  private void leaveLease(Duration lease) {
    world.putRollup(LIKES, 0, Optional.of(world.time.now().plus(lease)));
    put(7);
    world.put(
        "rollup_runs/before/live/" + world.counter(LIKES).liveId(),
        ServerTotals.entry(LIKES, world.time.now()));
  }

  /**
   * Nobody sums what the old name's functions have promised, until the pass that deploy asks for.
   */
  private void nameThatHasChanged() {
    leaveLease(SOON);
    rollers.start(/* wakeUp= */ false, 0);
    world.time.pass(SLACK.multipliedBy(2));
    require(world.totals.isLive(LIKES), "no run looks at another list");

    world.sweep(Layout.DEFAULT);

    requireShown(7);
    require(!world.totals.isLive(LIKES), "a pass ends what has no entry");
  }

  /** Whoever makes it live again enters it, though a lease is there. */
  private void nameThatHasChangedOfABusyCounter() {
    leaveLease(SOON);
    world.time.pass(SOON.multipliedBy(2));
    ShardWrites handler = handler();
    for (int i = 8; rollers.wakeUps.isEmpty(); i++) {
      require(i < 30, "a burst makes it live");
      Instant committed = world.put(LIKES, new Total.Whole(i));
      var unused = handler.written(world.event(LIKES, committed));
      world.time.pass(Duration.ofMillis(200));
    }
    put(100);
    rollers.start(/* wakeUp= */ true, 0);
    world.time.pass(TICK.multipliedBy(2));
    requireShown(100);
  }

  /**
   * Deletes documents as a recursive delete does. The events say when, and so make the counter
   * live.
   */
  private void documentsDeletedOneAfterAnother() {
    int documents = 60;
    for (int i = 0; i < documents; i++) {
      world.put(LIKES, i, Optional.of(1L));
    }
    ShardWrites handler = handler();
    for (int i = 0; i < documents; i++) {
      world.delete(ServerTotals.shard(LIKES, i));
      ShardWrite delete =
          new ShardWrite(
              world.counter(LIKES),
              "user",
              Optional.empty(),
              Optional.of(new ShardWrite.Delete("event-" + i, world.time.now())));
      for (int again = 0; again < 2; again++) {
        var unused = handler.written(delete);
      }
      world.time.pass(Duration.ofMillis(50));
      require(i < 9 == rollers.wakeUps.isEmpty(), "ten deletes, each counted once, make it live");
    }
  }
}
