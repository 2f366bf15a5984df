package dev.tallyroll.protocol;

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
 * @param entry the version of the counter's entry, if it is on the roller's list
 * @param held the roll-up as the roller knows it; null while it must be read
 * @param leftOver whether the entry is to be removed
 */
record SmallRoller(
    Optional<Instant> entry,
    @Nullable Rollup held,
    @Nullable RollerDecision due,
    @Nullable Sum sum,
    boolean leftOver) {
  static final SmallRoller IDLE = new SmallRoller(Optional.empty(), null, null, null, false);

  /** Whether a write is under way. */
  boolean isWriting() {
    return due != null || leftOver;
  }

  boolean isUnknown() {
    return held == null;
  }

  /** Looks at the live list, at its start or later. */
  SmallRoller query(SmallWorld world) {
    world.tick();
    return world.entry.isPresent() ? new SmallRoller(world.entry, held, null, null, false) : this;
  }

  /** Makes the call that is due; whether the counter is taken for a busy one is open. */
  SmallRoller step(SmallWorld world, boolean busy) {
    if (leftOver) {
      world.removeEntry(entry.orElseThrow());
      return IDLE;
    }
    if (held == null) {
      return read(world);
    }
    return due == null ? decide(world, held, busy) : write(world, due);
  }

  private SmallRoller read(SmallWorld world) {
    world.tick();
    return world
        .rollup
        .filter(found -> found.liveUntil().isPresent())
        .map(found -> new SmallRoller(entry, found, null, null, false))
        .orElseGet(() -> new SmallRoller(entry, null, null, null, true));
  }

  private SmallRoller decide(SmallWorld world, Rollup known, boolean busy) {
    Sum read = world.sum();
    RollerDecision decision = RollerDecision.of(known, read, busy, world.timing);
    boolean writes =
        decision instanceof RollerDecision.Write || decision instanceof RollerDecision.Settle;
    return writes ? new SmallRoller(entry, held, decision, read, false) : this;
  }

  private SmallRoller write(SmallWorld world, RollerDecision decision) {
    Optional<Instant> applied = world.write(change());
    if (applied.isEmpty()) {
      return forget();
    }
    if (decision instanceof RollerDecision.Write write) {
      Rollup written =
          Objects.requireNonNull(held)
              .with(Objects.requireNonNull(sum), Optional.of(write.liveUntil()))
              .at(applied.get());
      return new SmallRoller(entry, written, null, null, false);
    }
    return IDLE;
  }

  /** The write of a roll-up that is due. */
  Change change() {
    return due instanceof RollerDecision.Write write
        ? write.change()
        : ((RollerDecision.Settle) Objects.requireNonNull(due)).change();
  }

  /** The write was refused, or the call failed: the roll-up is read at the next tick. */
  SmallRoller forget() {
    return new SmallRoller(entry, null, null, null, false);
  }
}
