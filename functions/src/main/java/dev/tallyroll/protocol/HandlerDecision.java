package dev.tallyroll.protocol;

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Instant;
import java.util.Optional;

/** What the handler of a shard write does with a roll-up it read and a sum it read after that. */
sealed interface HandlerDecision {

  /** The sum is not newer than the roll-up: sum once more. */
  record SumAgain() implements HandlerDecision {}

  /** The sum is no number that could be stored: leave the last good total alone. */
  record Unusable() implements HandlerDecision {}

  /** Nothing needs to be written. */
  record Done() implements HandlerDecision {}

  /**
   * Write, and start again if it is refused.
   *
   * @param stands the roll-up once that has been applied, but for its version
   * @param wake whether the roller must hear of it
   */
  record Write(Change change, Optional<Rollup> stands, boolean wake) implements HandlerDecision {}

  /**
   * Decides.
   *
   * @param stored the roll-up; empty if there is none
   * @param sum read after {@code stored} was
   * @param burst whether the counter is to be live
   */
  static HandlerDecision of(Optional<Rollup> stored, Sum sum, boolean burst, Timing timing) {
    if (stored.isPresent() && !sum.readTime().isAfter(stored.get().asOf())) {
      return new SumAgain();
    }
    if (!sum.total().isUsable()) {
      return new Unusable();
    }
    Instant until = burst ? sum.readTime().plus(timing.lease()) : sum.readTime();
    return stored
        .map(rollup -> replace(rollup, sum, burst, until, timing))
        .orElseGet(() -> create(sum, burst, until));
  }

  /** An absent document has no version to compare, so a sum by the roller must follow this one. */
  private static HandlerDecision create(Sum sum, boolean burst, Instant until) {
    if (sum.shards() == 0) {
      return new Done();
    }
    Rollup stands =
        new Rollup(sum.total(), sum.shards(), sum.readTime(), Optional.of(until), sum.readTime());
    return new Write(new Change.Create(sum, until), Optional.of(stands), burst);
  }

  private static HandlerDecision replace(
      Rollup stored, Sum sum, boolean burst, Instant until, Timing timing) {
    Optional<Instant> held = stored.liveUntil();
    if (sum.shards() == 0 && held.map(end -> timing.hasRunOut(end, sum.readTime())).orElse(true)) {
      return Change.end(stored)
          .<HandlerDecision>map(end -> new Write(end, Optional.empty(), false))
          .orElse(new Done());
    }
    if (!burst) {
      return write(stored, sum, new LeaseChange.Keep(), held);
    }
    Instant longer = held.filter(until::isBefore).orElse(until);
    return write(stored, sum, new LeaseChange.Begin(longer), Optional.of(longer));
  }

  private static Write write(Rollup stored, Sum sum, LeaseChange change, Optional<Instant> until) {
    return new Write(
        new Change.Update(stored.updateTime(), Optional.of(sum), change),
        Optional.of(stored.with(sum, until)),
        change instanceof LeaseChange.Begin);
  }
}
