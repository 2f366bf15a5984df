package dev.tallyroll.protocol;

import dev.tallyroll.stored.Rollup;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sweep's look at the counter: nothing, the roll-up, or the sum has been read. Its steps are
 * those of {@link Sweep}, its decisions that class's own.
 */
record SmallSweep(boolean isUnderWay, Optional<Rollup> stored, @Nullable Change due) {
  static final SmallSweep IDLE = new SmallSweep(false, Optional.empty(), null);

  static SmallSweep begin(SmallWorld world) {
    world.tick();
    return new SmallSweep(true, world.rollup, null);
  }

  /** Makes the call that is due. */
  SmallSweep step(SmallWorld world) {
    if (due != null) {
      return world.write(due).isPresent() ? IDLE : begin(world);
    }
    return Decisions.ofSweep(stored, world.sum(), world.timing)
        .map(change -> new SmallSweep(true, stored, change))
        .orElse(IDLE);
  }
}
