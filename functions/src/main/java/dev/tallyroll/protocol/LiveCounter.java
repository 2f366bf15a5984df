package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.RollupStore.Entry;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A counter on the live list, as its roller knows it: its roll-up, once that has been read, and
 * whether every sum under the present lease showed a change. Used on the event loop only.
 */
final class LiveCounter {
  final CounterPath path;

  /** Its entry, as it was found last. */
  Entry entry;

  /** Whether a call for it is under way. */
  boolean underWay;

  /** How many rolls have failed, one after the other. */
  int failures;

  private @Nullable Rollup rollup;
  private Instant lease = Instant.MIN;
  private Instant lastSum = Instant.MAX;
  private boolean busy = true;

  LiveCounter(Entry entry) {
    this.path = entry.counter();
    this.entry = entry;
  }

  /** Whether its roll-up must be read before it is summed. */
  boolean isUnknown() {
    return rollup == null;
  }

  /** Its roll-up has been read, or written by this roller; it holds a lease. */
  void learn(Rollup known) {
    Instant until = known.liveUntil().orElseThrow();
    busy |= !until.equals(lease);
    lease = until;
    rollup = known;
  }

  /** Somebody else may have written its roll-up. */
  void forget() {
    rollup = null;
  }

  Instant liveUntil() {
    return lease;
  }

  /** Decides what becomes of a roll-up that is known, by a sum that was read after it. */
  RollerDecision decide(Sum sum, Timing timing) {
    RollerDecision decision = RollerDecision.of(known(), sum, busy, timing);
    busy &= !(decision instanceof RollerDecision.Unchanged);
    return decision;
  }

  /**
   * Notes what this roller has written.
   *
   * @return when the sum before this one was read: no change that is shown now is older; empty for
   *     the first
   */
  Optional<Instant> written(Sum sum, Instant liveUntil, Instant updateTime) {
    learn(known().with(sum, Optional.of(liveUntil)).at(updateTime));
    return Optional.of(lastSum).filter(sum.readTime()::isAfter);
  }

  /** A sum has been acted upon. */
  void summed(Sum sum) {
    lastSum = sum.readTime();
    failures = 0;
  }

  private Rollup known() {
    return Objects.requireNonNull(rollup);
  }
}
