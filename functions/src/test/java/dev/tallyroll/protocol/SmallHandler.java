package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.KnownCounters.Known;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A handler's instance: what it remembers, the work that is under way, and the events that wait for
 * it to end. Its steps are those of {@link ShardWrites}, its decisions that class's own.
 */
record SmallHandler(Known known, @Nullable Work underWay, @Nullable Events waiting) {
  static final SmallHandler NEW = new SmallHandler(Known.NOTHING, null, null);

  /** Events that share their work. */
  record Events(int set, Commits commits) {
    Events join(int event, Commits others) {
      return new Events(set | 1 << event, commits.join(others));
    }
  }

  /** How far the work has come: nothing read, then the roll-up, then the sum. */
  record Work(
      Events events, boolean read, Optional<Rollup> stored, HandlerDecision.@Nullable Write write) {
    static Work of(Events events) {
      return new Work(events, false, Optional.empty(), null);
    }

    static Work of(Events events, Known known) {
      return new Work(events, known.probable().isPresent(), known.probable(), null);
    }
  }

  boolean isBusyWith(int event) {
    return (underWay != null && (underWay.events.set & 1 << event) != 0)
        || (waiting != null && (waiting.set & 1 << event) != 0);
  }

  /** Takes an event in, as {@link ShardWrites#written} does. */
  SmallHandler deliver(SmallWorld world, int event) {
    Optional<Instant> committed = world.shards.stamp(event);
    boolean burst = committed.map(time -> known.isBurst(time, world.timing.tick())).orElse(false);
    return knowing(committed.map(known::seen).orElse(known))
        .take(world, event, new Commits(committed, burst));
  }

  private SmallHandler take(SmallWorld world, int event, Commits commits) {
    if (known.covers(commits)) {
      world.shards.become(event, SmallShards.Event.ACKNOWLEDGED);
      return this;
    }
    if (waiting != null) {
      return new SmallHandler(known, underWay, waiting.join(event, commits));
    }
    Events alone = new Events(1 << event, commits);
    return underWay == null
        ? new SmallHandler(known, Work.of(alone, known), null)
        : new SmallHandler(known, underWay, alone);
  }

  /** Makes the call that is due. */
  SmallHandler step(SmallWorld world) {
    Work work = work();
    if (!work.read) {
      return judge(world, work, new Reading(world.rollup, world.tick()));
    }
    return work.write == null ? act(world, work, world.sum()) : write(world, work.write);
  }

  private Work work() {
    return Objects.requireNonNull(underWay);
  }

  private SmallHandler judge(SmallWorld world, Work work, Reading reading) {
    SmallHandler wiser =
        reading.rollup().map(read -> knowing(known.read(read, slack(world)))).orElse(this);
    if (work.events.commits.areCoveredBy(reading, slack(world))) {
      return wiser.end(world, true);
    }
    return wiser.with(new Work(work.events, true, reading.rollup(), null));
  }

  private SmallHandler act(SmallWorld world, Work work, Sum sum) {
    boolean burst =
        work.events.commits.areBurst(known.changed(), sum.readTime(), world.timing.tick());
    HandlerDecision decision = HandlerDecision.of(work.stored, sum, burst, world.timing, () -> 0);
    if (decision instanceof HandlerDecision.Write write) {
      return with(new Work(work.events, true, work.stored, write));
    }
    return decision instanceof HandlerDecision.SumAgain
        ? with(Work.of(work.events))
        : end(world, true);
  }

  private SmallHandler write(SmallWorld world, HandlerDecision.Write write) {
    return world
        .write(write.change())
        .map(time -> write.stands().map(it -> it.at(time)))
        .map(stands -> knowing(known.wrote(stands, slack(world))).end(world, true))
        .orElseGet(this::refused);
  }

  /** The write was refused: it is read again. */
  SmallHandler refused() {
    return knowing(known.refused()).with(Work.of(work().events));
  }

  /** Ends the work, well or not, and begins what has waited for that. */
  SmallHandler end(SmallWorld world, boolean well) {
    Events done = work().events;
    if (well) {
      acknowledge(world, done);
    }
    if (waiting == null) {
      return new SmallHandler(known, null, null);
    }
    SmallHandler next = new SmallHandler(known, Work.of(waiting, known), null);
    return known.covers(waiting.commits) ? next.end(world, true) : next;
  }

  private static void acknowledge(SmallWorld world, Events done) {
    for (int event = 0; event < world.shards.visible(); event++) {
      if ((done.set & 1 << event) != 0) {
        world.shards.become(event, SmallShards.Event.ACKNOWLEDGED);
      }
    }
  }

  private static Duration slack(SmallWorld world) {
    return world.timing.slack();
  }

  private SmallHandler knowing(Known other) {
    return new SmallHandler(other, underWay, waiting);
  }

  private SmallHandler with(Work work) {
    return new SmallHandler(known, work, waiting);
  }
}
