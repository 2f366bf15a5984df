package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A roller's view of the counter, and its next call. It repeats the steps of {@link Roller}, and
 * calls that class's decisions.
 *
 * @param entry the version of the counter's entry; empty if the roller's list lacks it
 * @param held the roll-up as the roller knows it; null while it must be read
 * @param due the write that is the next call
 * @param leftOver whether the next call removes the entry
 */
record SmallRoller(
    Optional<Instant> entry, @Nullable Rollup held, @Nullable Change due, boolean leftOver) {
  static final SmallRoller IDLE = new SmallRoller(Optional.empty(), null, null, false);

  /** Whether a write is under way. */
  boolean isWriting() {
    return due != null || leftOver;
  }

  boolean isUnknown() {
    return held == null;
  }

  /** Reads the live list, at the start of the run or later. */
  SmallRoller query(SmallWorld world) {
    world.tick();
    return world.entry.isPresent() ? new SmallRoller(world.entry, held, null, false) : this;
  }

  /** Makes the next call. The exploration tries both values of {@code busy}. */
  SmallRoller step(SmallWorld world, boolean busy) {
    if (leftOver) {
      world.removeEntry(entry.orElseThrow());
      return IDLE;
    }
    if (held == null) {
      return read(world);
    }
    return due == null ? decide(world, held, busy) : write(world, held, due);
  }

  private SmallRoller read(SmallWorld world) {
    world.tick();
    return world
        .rollup
        .filter(found -> found.liveUntil().isPresent())
        .map(found -> new SmallRoller(entry, found, null, false))
        .orElseGet(() -> new SmallRoller(entry, null, null, true));
  }

  private SmallRoller decide(SmallWorld world, Rollup known, boolean busy) {
    return Decisions.ofRoller(known, world.sum(), busy, world.timing)
        .map(change -> new SmallRoller(entry, held, change, false))
        .orElse(this);
  }

  private SmallRoller write(SmallWorld world, Rollup known, Change change) {
    Optional<Instant> applied = world.write(change);
    if (applied.isEmpty()) {
      return forget();
    }
    return change
        .applied(Optional.of(known), applied.get())
        .map(written -> new SmallRoller(entry, written, null, false))
        .orElse(IDLE);
  }

  /** The roller after a refused write or a failed call: the next tick reads the roll-up. */
  SmallRoller forget() {
    return new SmallRoller(entry, null, null, false);
  }
}
