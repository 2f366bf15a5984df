package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Entry;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A counter on the live list, as its roller knows it: its roll-up, once that has been read, and
 * whether every sum under the present lease showed a change.
 */
final class LiveCounter {
  final CounterPath path;

  /** Its entry, as it was found last, and as it was when the roll began. */
  Entry entry;

  Entry rolled;

  /** Done when no call for it is under way. */
  CompletableFuture<Void> roll = CompletableFuture.completedFuture(null);

  /** How many rolls have failed, one after the other. */
  int failures;

  private @Nullable Rollup rollup;
  private Instant lease = Instant.MIN;
  private Instant lastSum = Instant.MAX;
  private boolean busy = true;

  LiveCounter(Entry entry) {
    this.path = entry.counter();
    this.entry = entry;
    this.rolled = entry;
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
  Optional<Change> decide(Sum sum, Timing timing) {
    Optional<Change> change = Decisions.ofRoller(known(), sum, busy, timing);
    busy &=
        change.isPresent()
            || !sum.total().isUsable()
            || Decisions.saysNothing(known(), sum, timing);
    return change;
  }

  /**
   * Notes what this roller has written.
   *
   * @return when the sum before this one was read: no change that is shown now is older; empty for
   *     the first
   */
  Optional<Instant> written(Change change, Sum sum, Instant updateTime) {
    learn(change.applied(Optional.of(known()), updateTime).orElseThrow());
    Optional<Instant> before = Optional.of(lastSum).filter(sum.readTime()::isAfter);
    summed(sum);
    return before;
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
