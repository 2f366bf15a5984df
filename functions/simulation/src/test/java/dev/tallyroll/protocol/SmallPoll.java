package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.Poll.PollPolicy;
import dev.tallyroll.runs.Timing;
import java.util.Optional;

/**
 * An instance that polls the counter.
 *
 * @param cycle of its poll; empty between two
 * @param memory of the roll-up, as the last poll has left it
 */
record SmallPoll(Optional<Cycle<PollPolicy>> cycle, Optional<Rollup> memory) {
  static final SmallPoll NEW = new SmallPoll(Optional.empty(), Optional.empty());

  /** The cycle under way, or a new one. */
  Cycle<PollPolicy> next(Timing timing) {
    return cycle.orElseGet(() -> Cycle.begin(PollPolicy.of(timing, memory), memory));
  }

  SmallPoll after(Cycle<PollPolicy> step) {
    return step instanceof Cycle.Open
        ? new SmallPoll(Optional.of(step), memory)
        : new SmallPoll(Optional.empty(), Poll.lastRollup(step));
  }

  /** A call has failed. */
  SmallPoll failed() {
    return new SmallPoll(Optional.empty(), memory);
  }
}
