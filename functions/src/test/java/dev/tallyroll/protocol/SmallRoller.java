package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A roller's view of the counter, and the call that is due. Its steps are those of {@link Roller},
 * its decisions that class's own.
 *
 * @param held the roll-up and its lease as the roller knows them; null while it is not on its list
 */
record SmallRoller(
    @Nullable Rollup held, @Nullable RollerDecision due, @Nullable Sum sum, boolean refused) {
  static final SmallRoller IDLE = new SmallRoller(null, null, null, false);

  boolean isUnderWay() {
    return due != null || refused;
  }

  /** Looks at the live list, at its start or later. */
  SmallRoller query(SmallWorld world) {
    world.tick();
    return world.rollup.filter(found -> found.lease().isPresent()).map(this::refresh).orElse(this);
  }

  private SmallRoller refresh(Rollup found) {
    boolean newer = held == null || found.updateTime().isAfter(held.updateTime());
    return new SmallRoller(newer ? found : held, null, null, false);
  }

  /** Makes the call that is due; whether the counter is taken for a busy one is open. */
  SmallRoller step(SmallWorld world, boolean busy) {
    if (refused) {
      return readAgain(world);
    }
    return due == null ? decide(world, busy) : write(world, due);
  }

  private SmallRoller decide(SmallWorld world, boolean busy) {
    Rollup known = Objects.requireNonNull(held);
    Sum read = world.sum();
    RollerDecision decision =
        RollerDecision.of(
            known,
            known.lease().orElseThrow(),
            read,
            busy ? new Activity(1, 1) : new Activity(3, 1),
            world.timing);
    boolean writes =
        decision instanceof RollerDecision.Write || decision instanceof RollerDecision.Settle;
    return writes ? new SmallRoller(held, decision, read, false) : this;
  }

  private SmallRoller write(SmallWorld world, RollerDecision decision) {
    Optional<Instant> applied = world.write(change());
    if (applied.isEmpty()) {
      return again();
    }
    return decision instanceof RollerDecision.Write write
        ? new SmallRoller(written(write.lease(), applied.get()), null, null, false)
        : IDLE;
  }

  /** The write that is due. */
  Change change() {
    return due instanceof RollerDecision.Write write
        ? write.change()
        : ((RollerDecision.Settle) Objects.requireNonNull(due)).change();
  }

  private Rollup written(Lease lease, Instant time) {
    Sum read = Objects.requireNonNull(sum);
    return Objects.requireNonNull(held).with(read, Optional.of(lease)).at(time);
  }

  /** The write was refused. */
  SmallRoller again() {
    return new SmallRoller(held, null, null, true);
  }

  private SmallRoller readAgain(SmallWorld world) {
    world.tick();
    return world.rollup.filter(found -> found.lease().isPresent()).map(this::refresh).orElse(IDLE);
  }

  /** The call failed: the counter is taken up again at the next tick, as it is known. */
  SmallRoller fail() {
    return new SmallRoller(held, null, null, false);
  }
}
