package dev.tallyroll.protocol;

import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.KnownCounters.Known;
import dev.tallyroll.protocol.ShardWrites.Handling;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A handler's instance: its memory, its cycle under way, and the events that wait for the end of
 * that. It joins events as {@link ShardWrites} does.
 *
 * @param delivered the set of events that this instance has had, as bits
 */
record SmallHandler(int delivered, Known known, @Nullable Work underWay, @Nullable Events waiting) {
  static final SmallHandler NEW = new SmallHandler(0, Known.NOTHING, null, null);

  /** Events that share a cycle. */
  record Events(int set, Commits commits) {
    Events join(int event, Commits others) {
      return new Events(set | 1 << event, commits.join(others));
    }
  }

  /**
   * The cycle of some events.
   *
   * @param events a set of bits
   */
  record Work(int events, Cycle<Handling> cycle) {}

  boolean isBusyWith(int event) {
    return (underWay != null && (underWay.events & 1 << event) != 0)
        || (waiting != null && (waiting.set & 1 << event) != 0);
  }

  /** Takes an event in, as {@link ShardWrites#written} does. */
  SmallHandler deliver(SmallWorld world, int event) {
    Optional<Instant> committed = world.shards.stamp(event);
    Known seen = committed.map(time -> known.with(time, world.timing)).orElse(known);
    boolean burst = committed.map(time -> seen.isBurst(time, world.timing)).orElse(false);
    SmallHandler next = new SmallHandler(delivered | 1 << event, seen, underWay, waiting);
    world.require(
        burst || committed.filter(time -> next.hasHadBurst(world, time)).isEmpty(),
        "BURST writes within a LEASE make the counter live, in any order of their events");
    return next.take(world, event, new Commits(committed, burst));
  }

  private boolean hasHadBurst(SmallWorld world, Instant until) {
    Instant from = until.minus(world.timing.lease());
    return IntStream.range(0, world.shards.visible())
            .filter(event -> (delivered & 1 << event) != 0)
            .mapToObj(world.shards::stamp)
            .flatMap(Optional::stream)
            .filter(time -> time.isAfter(from) && !time.isAfter(until))
            .count()
        >= world.timing.burst();
  }

  private SmallHandler take(SmallWorld world, int event, Commits commits) {
    if (known.covers(commits)) {
      world.shards.become(event, SmallShards.Event.ACKNOWLEDGED);
      return this;
    }
    world.require(
        commits.makeLive() || !isInKnownTotal(world, commits),
        "a write costs nothing more once its instance knows a total that holds it");
    if (waiting != null) {
      return with(known, underWay, waiting.join(event, commits));
    }
    Events alone = new Events(1 << event, commits);
    return underWay == null ? with(known, begin(world, alone), null) : with(known, underWay, alone);
  }

  private boolean isInKnownTotal(SmallWorld world, Commits commits) {
    return known.last().stream()
        .map(rollup -> rollup.asOf().minus(world.timing.slack()))
        .anyMatch(asOf -> commits.latest().filter(asOf::isAfter).isPresent());
  }

  private Work begin(SmallWorld world, Events events) {
    Handling handling = new Handling(events.commits, world.timing);
    return new Work(events.set, Cycle.begin(handling, known.probable()));
  }

  private Work work() {
    return Objects.requireNonNull(underWay);
  }

  /** Makes the call that is due. */
  SmallHandler step(SmallWorld world) {
    return took(world, world.call(work().cycle));
  }

  /** Its write took effect, was sent again, and refused. */
  SmallHandler refused(SmallWorld world) {
    return took(world, work().cycle.written(Optional.empty()));
  }

  private SmallHandler took(SmallWorld world, Cycle<Handling> after) {
    Known wiser = known.learns(work().cycle, after, world.timing);
    SmallHandler next = with(wiser, new Work(work().events, after), waiting);
    return after.goesOn() ? next : next.end(world, after.next() != Cycle.Next.GIVEN_UP);
  }

  /** Ends the cycle, with or without success, and begins that of the waiting events. */
  SmallHandler end(SmallWorld world, boolean well) {
    if (well) {
      acknowledge(world, work().events);
    }
    if (waiting == null) {
      return with(known, null, null);
    }
    SmallHandler next = with(known, begin(world, waiting), null);
    return known.covers(waiting.commits) ? next.end(world, true) : next;
  }

  private static void acknowledge(SmallWorld world, int done) {
    for (int event = 0; event < world.shards.visible(); event++) {
      if ((done & 1 << event) != 0) {
        world.shards.become(event, SmallShards.Event.ACKNOWLEDGED);
      }
    }
  }

  private SmallHandler with(Known other, @Nullable Work now, @Nullable Events later) {
    return new SmallHandler(delivered, other, now, later);
  }
}
