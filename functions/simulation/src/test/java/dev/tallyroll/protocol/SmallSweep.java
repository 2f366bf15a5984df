package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sweep's look at the counter: it has read nothing, the roll-up, or the sum. It repeats the steps
 * of {@link Sweep}, and calls that class's decisions.
 */
record SmallSweep(boolean isUnderWay, Optional<Rollup> stored, @Nullable Change due) {
  static final SmallSweep IDLE = new SmallSweep(false, Optional.empty(), null);

  static SmallSweep begin(SmallWorld world) {
    world.tick();
    return new SmallSweep(true, world.rollup, null);
  }

  /** Makes the next call. */
  SmallSweep step(SmallWorld world) {
    if (due != null) {
      return world.write(due).isPresent() ? IDLE : begin(world);
    }
    return Decisions.ofSweep(stored, world.sum(), world.timing)
        .map(change -> new SmallSweep(true, stored, change))
        .orElse(IDLE);
  }
}
