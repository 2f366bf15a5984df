package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.Cycle.ToWrite;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A roller's counter, and its cycle under way. It keeps its list as {@link Roller} does.
 *
 * @param entry the newest version of the counter's entry; empty if the roller's list lacks it
 * @param begun its version when the present cycle began
 * @param cycle null between two
 * @param leftOver whether the next call removes the entry
 */
record SmallRoller(
    Optional<Instant> entry,
    Optional<Instant> begun,
    RollerPolicy following,
    @Nullable Cycle<RollerPolicy> cycle,
    boolean leftOver) {

  static SmallRoller idle(SmallWorld world) {
    RollerPolicy unknown = RollerPolicy.unknown(world.timing, Optional.empty());
    return new SmallRoller(Optional.empty(), Optional.empty(), unknown, null, false);
  }

  /** The write that is the next call, if it is one. */
  Optional<Change> due() {
    return cycle instanceof ToWrite<RollerPolicy> write
        ? Optional.of(write.change())
        : Optional.empty();
  }

  /** The cycle under way, or the next one. */
  Cycle<RollerPolicy> present() {
    return cycle != null ? cycle : Cycle.begin(following, following.known());
  }

  /**
   * Reads the live list, at the start of the run or later; where counters are large, of another.
   */
  SmallRoller query(SmallWorld world) {
    Instant now = world.tick();
    RollerPolicy next =
        cycle == null && world.bounds.large() == 1
            ? RollerPolicy.unknown(world.timing, Optional.of(now))
            : following;
    return world.entry.isPresent()
        ? new SmallRoller(world.entry, begun, next, cycle, leftOver)
        : this;
  }

  /** Makes the next call. */
  SmallRoller step(SmallWorld world) {
    if (leftOver) {
      world.removeEntry(begun.orElseThrow());
      return drop(world);
    }
    return new SmallRoller(entry, cycle == null ? entry : begun, following, cycle, false)
        .took(world, world.call(present()));
  }

  /** The roller's write took effect, was sent again, and refused. */
  SmallRoller refused(SmallWorld world) {
    return took(world, ((ToWrite<RollerPolicy>) present()).written(Optional.empty()));
  }

  private SmallRoller took(SmallWorld world, Cycle<RollerPolicy> after) {
    SmallRoller wiser =
        new SmallRoller(
            entry, begun, after.policy(), after instanceof Cycle.Open ? after : null, false);
    if (after instanceof Cycle.PassedOver<RollerPolicy> passed) {
      return wiser.passed(passed.reading());
    }
    if (after instanceof Cycle.Changed<RollerPolicy> changed) {
      return changed.change().ends() ? wiser.drop(world) : wiser.left(changed.result());
    }
    return after instanceof Cycle.Unchanged ? wiser.left(after.stored()) : wiser;
  }

  /** A large counter waits for another run. */
  private SmallRoller left(Optional<Rollup> found) {
    return found.filter(rollup -> following.timing().isLarge(rollup.shards())).isPresent()
        ? new SmallRoller(Optional.empty(), Optional.empty(), following, null, false)
        : this;
  }

  private SmallRoller passed(Reading reading) {
    boolean live = reading.rollup().flatMap(Rollup::liveUntil).isPresent();
    if (live
        && reading
            .rollup()
            .filter(rollup -> following.timing().isLarge(rollup.shards()))
            .isPresent()) {
      return left(reading.rollup());
    }
    return new SmallRoller(entry, begun, following, null, !live);
  }

  private SmallRoller drop(SmallWorld world) {
    return begun.equals(entry)
        ? idle(world)
        : new SmallRoller(entry, begun, following.forget(), null, false);
  }

  /** A call has failed; if that was a write, it may still take effect. */
  SmallRoller failed() {
    return new SmallRoller(entry, begun, following.forget(), null, false);
  }
}
