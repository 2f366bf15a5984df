package dev.tallyroll.protocol;

import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.KnownCounters.Knowledge;
import dev.tallyroll.protocol.KnownCounters.Write;
import dev.tallyroll.protocol.ShardWrites.HandlerPolicy;
import dev.tallyroll.runs.Coalescer.Pending;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A handler's instance: its memory, its cycle under way, and the events that wait for the end of
 * that. It joins events as {@link ShardWrites} does.
 *
 * @param delivered the set of events that this instance has had, as bits
 */
record SmallHandler(
    int delivered, Knowledge known, Pending<Events> events, @Nullable Cycle<HandlerPolicy> cycle) {
  static final SmallHandler NEW = new SmallHandler(0, Knowledge.NOTHING, Pending.none(), null);

  /**
   * Events that share a cycle.
   *
   * @param set of bits
   */
  record Events(int set, Commits commits) {
    Events join(Events others) {
      return new Events(set | others.set, commits.join(others.commits));
    }

    boolean has(int event) {
      return (set & 1 << event) != 0;
    }
  }

  boolean isBusyWith(int event) {
    return Stream.concat(events.underWay().stream(), events.waiting().stream())
        .anyMatch(some -> some.has(event));
  }

  /** Takes an event in, as {@link ShardWrites#written} does. */
  SmallHandler deliver(SmallWorld world, int event) {
    ShardWrite write = world.shards.write(event);
    Optional<Write> counted = Write.of(write);
    Knowledge seen = counted.map(one -> known.withWrite(one, world.timing)).orElse(known);
    boolean burst = counted.filter(one -> seen.isBurst(one.time(), world.timing)).isPresent();
    SmallHandler next = new SmallHandler(delivered | 1 << event, seen, events, cycle);
    world.require(
        burst || !next.hasHadBurst(world, world.shards.time(event)),
        "BURST writes within a LEASE make the counter live, in any order of their events");
    return next.take(world, event, new Commits(write.committed(), burst));
  }

  private boolean hasHadBurst(SmallWorld world, Instant until) {
    Instant from = until.minus(world.timing.lease());
    return IntStream.range(0, world.shards.visible())
            .filter(event -> (delivered & 1 << event) != 0)
            .mapToObj(world.shards::time)
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
    Pending<Events> joined = events.with(new Events(1 << event, commits), Events::join);
    return events.isIdle() ? begin(world, known, joined) : with(known, joined, cycle);
  }

  private boolean isInKnownTotal(SmallWorld world, Commits commits) {
    return known.last().stream()
        .map(rollup -> rollup.asOf().minus(world.timing.slack()))
        .anyMatch(asOf -> commits.latest().filter(asOf::isAfter).isPresent());
  }

  private SmallHandler begin(SmallWorld world, Knowledge now, Pending<Events> joined) {
    HandlerPolicy handling =
        new HandlerPolicy(joined.underWay().orElseThrow().commits, world.timing);
    return with(now, joined, Cycle.begin(handling, now.probable(world.timing)));
  }

  Cycle<HandlerPolicy> underWay() {
    return Objects.requireNonNull(cycle);
  }

  /** Makes the call that is due. */
  SmallHandler step(SmallWorld world) {
    return took(world, world.call(underWay()));
  }

  /** The handler's write took effect, was sent again, and refused. */
  SmallHandler refused(SmallWorld world) {
    return took(world, ((Cycle.ToWrite<HandlerPolicy>) underWay()).written(Optional.empty()));
  }

  private SmallHandler took(SmallWorld world, Cycle<HandlerPolicy> after) {
    SmallHandler next = with(known.learns(underWay(), after, world.timing), events, after);
    return after instanceof Cycle.Open ? next : next.end(world, !(after instanceof Cycle.GivenUp));
  }

  /** Ends the cycle, with or without success, and begins that of the waiting events. */
  SmallHandler end(SmallWorld world, boolean well) {
    if (well) {
      acknowledge(world, events.underWay().orElseThrow().set);
    }
    Pending<Events> rest = events.next();
    if (rest.isIdle()) {
      return with(known, rest, null);
    }
    SmallHandler next = begin(world, known, rest);
    return known.covers(rest.underWay().orElseThrow().commits) ? next.end(world, true) : next;
  }

  private static void acknowledge(SmallWorld world, int done) {
    for (int event = 0; event < world.shards.visible(); event++) {
      if ((done & 1 << event) != 0) {
        world.shards.become(event, SmallShards.Event.ACKNOWLEDGED);
      }
    }
  }

  private SmallHandler with(
      Knowledge other, Pending<Events> joined, @Nullable Cycle<HandlerPolicy> now) {
    return new SmallHandler(delivered, other, joined, now);
  }
}
