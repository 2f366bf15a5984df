package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.KnownCounters.Known;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A handler's instance: its memory, its work under way, and the events that wait for the end of
 * that work. It repeats the steps of {@link ShardWrites}, and calls that class's decisions.
 */
record SmallHandler(Known known, @Nullable Work underWay, @Nullable Events waiting) {
  static final SmallHandler NEW = new SmallHandler(Known.NOTHING, null, null);

  /** Events that share their work. */
  record Events(int set, Commits commits) {
    Events join(int event, Commits others) {
      return new Events(set | 1 << event, commits.join(others));
    }

    Events makingLive() {
      return new Events(set, commits.makingLive());
    }
  }

  /** The progress of the work: nothing is read, then the roll-up, then the sum. */
  record Work(
      Events events,
      Instant refused,
      boolean read,
      Optional<Rollup> stored,
      @Nullable Change write) {
    static Work of(Events events, Instant refused) {
      return new Work(events, refused, false, Optional.empty(), null);
    }

    static Work of(Events events, Known known) {
      Optional<Rollup> probable = known.probable();
      return new Work(events, Instant.MAX, probable.isPresent(), probable, null);
    }
  }

  boolean isBusyWith(int event) {
    return (underWay != null && (underWay.events.set & 1 << event) != 0)
        || (waiting != null && (waiting.set & 1 << event) != 0);
  }

  /** Takes an event in, as {@link ShardWrites#written} does. */
  SmallHandler deliver(SmallWorld world, int event) {
    Optional<Instant> committed = world.shards.stamp(event);
    Known seen = committed.map(time -> known.with(time, world.timing)).orElse(known);
    boolean burst = committed.map(time -> seen.isBurst(time, world.timing)).orElse(false);
    return knowing(seen).take(world, event, new Commits(committed, burst));
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
    Optional<Rollup> stored = reading.rollup();
    Known wiser = stored.map(read -> known.read(read, world.timing)).orElse(known);
    if (stored.isPresent() && wiser.covers(work.events.commits.readAt(reading.readTime()))) {
      return knowing(wiser).end(world, true);
    }
    boolean contended = stored.filter(it -> it.updateTime().isAfter(work.refused)).isPresent();
    Events events = contended ? work.events.makingLive() : work.events;
    return knowing(wiser).with(new Work(events, Instant.MAX, true, stored, null));
  }

  private SmallHandler act(SmallWorld world, Work work, Sum sum) {
    if (!Decisions.isNewer(sum, work.stored)) {
      return with(Work.of(work.events, Instant.MAX));
    }
    Instant refused = work.stored.isPresent() ? sum.readTime() : Instant.MAX;
    return Decisions.ofHandler(work.stored, sum, work.events.commits.makeLive(), world.timing)
        .map(change -> with(new Work(work.events, refused, true, work.stored, change)))
        .orElseGet(() -> end(world, true));
  }

  private SmallHandler write(SmallWorld world, Change change) {
    return world
        .write(change)
        .map(time -> change.applied(work().stored, time))
        .map(stands -> knowing(known.wrote(stands, world.timing)).end(world, true))
        .orElseGet(this::refused);
  }

  /** The work after a refused write: it reads the roll-up again. */
  SmallHandler refused() {
    return knowing(known.refused()).with(Work.of(work().events, work().refused));
  }

  /** Ends the work, with or without success, and begins the work of the waiting events. */
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

  private SmallHandler knowing(Known other) {
    return new SmallHandler(other, underWay, waiting);
  }

  private SmallHandler with(Work work) {
    return new SmallHandler(known, work, waiting);
  }
}
