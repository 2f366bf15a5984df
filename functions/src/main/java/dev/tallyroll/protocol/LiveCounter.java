package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Entry;
import java.time.Duration;
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
  /** How many failures in a row make the roller pass over a counter for a while. */
  private static final int MAX_FAILURES = 5;

  final CounterPath path;

  /** The newest version of its entry that was seen. */
  Entry entry;

  /** The version of its entry when the present roll began. */
  Entry rolled;

  /** Completed when no call for it is under way. */
  CompletableFuture<Void> roll = CompletableFuture.completedFuture(null);

  /** By the loop's clock: until then, the roll-up is read again after an unchanged sum. */
  Instant rereadUntil;

  /** By the loop's clock: the roller passes over it until then. */
  Instant notBefore = Instant.MIN;

  /** Whether a write of the present roll was refused. */
  private boolean refused;

  /** How many rolls have failed, one after the other. */
  private int failures;

  private @Nullable Rollup rollup;
  private Instant lease = Instant.MIN;
  private Instant lastSum = Instant.MAX;
  private Optional<Sum> last = Optional.empty();
  private boolean busy = true;

  LiveCounter(Entry entry, Instant rereadUntil) {
    this.path = entry.counter();
    this.entry = entry;
    this.rolled = entry;
    this.rereadUntil = rereadUntil;
  }

  /** Notes that a roll begins. */
  void begins() {
    rolled = entry;
    refused = false;
  }

  /** Notes a newer version of its entry: it is live again, so its calls may work again. */
  void seen(Entry newest) {
    if (!newest.equals(entry)) {
      entry = newest;
      notBefore = Instant.MIN;
    }
  }

  /** Whether its roll-up has never been read. */
  boolean isNew() {
    return lastSum.equals(Instant.MAX) && isUnknown();
  }

  /** Whether the roller passes over it, since its calls keep failing. */
  boolean isFailing() {
    return failures >= MAX_FAILURES;
  }

  /** Whether its roll-up must be read before it is summed. */
  boolean isUnknown() {
    return rollup == null;
  }

  /** Notes a roll-up with a lease, which this roller has read or written. */
  void learn(Rollup known) {
    Instant until = known.liveUntil().orElseThrow();
    busy |= !until.equals(lease);
    lease = until;
    rollup = known;
  }

  /** Forgets the roll-up, since somebody else may have written it. */
  void forget() {
    rollup = null;
  }

  Instant liveUntil() {
    return lease;
  }

  /** Decides on the known roll-up, by a sum that was read after it. */
  Optional<Change> decide(Sum sum, Timing timing) {
    Optional<Change> change = Decisions.ofRoller(known(), sum, busy, timing);
    busy &=
        change.isPresent()
            || !sum.isUsable()
            || (timing.holds() && hasMoved(sum))
            || Decisions.saysNothing(known(), sum, timing);
    return change;
  }

  /** Whether the sum differs from the last one, so that a held change counts only once. */
  private boolean hasMoved(Sum sum) {
    return last.filter(it -> it.shards() == sum.shards() && it.total().equals(sum.total()))
        .isEmpty();
  }

  /**
   * Notes what this roller has written.
   *
   * @return when the sum before this one was read: all changes shown now are newer; empty for the
   *     first
   */
  Optional<Instant> written(Change change, Sum sum, Instant updateTime) {
    learn(change.applied(Optional.of(known()), updateTime).orElseThrow());
    Optional<Instant> before = Optional.of(lastSum).filter(sum.readTime()::isAfter);
    summed(sum);
    return before;
  }

  /** Notes a sum that has been acted upon. */
  void summed(Sum sum) {
    lastSum = sum.readTime();
    last = Optional.of(sum);
    failures = 0;
  }

  /**
   * Notes that its write was refused, since somebody else has written its roll-up; its calls work.
   *
   * @return whether that is the first time in this roll
   */
  boolean refused() {
    forget();
    failures = 0;
    boolean first = !refused;
    refused = true;
    return first;
  }

  /**
   * Notes that a call for it has failed. If that was a write, it may still take effect.
   *
   * @return whether the roller passes over it from now on
   */
  boolean failed(Instant now, Duration passedOver) {
    forget();
    rereadUntil = now.plus(Timing.LONGEST_CALL);
    if (++failures >= MAX_FAILURES) {
      notBefore = now.plus(passedOver);
    }
    return isFailing();
  }

  private Rollup known() {
    return Objects.requireNonNull(rollup);
  }
}
