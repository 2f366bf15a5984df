package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.LiveSet;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A counter on the live list, as its roller has it: what is known of it, and its failures. */
final class LiveCounter implements LiveSet.Work {
  /** How many failures in a row make the roller pass over a counter for a while. */
  private static final int MAX_FAILURES = 5;

  final LiveSet.Member<CounterId> member;
  private final Roller roller;
  RollerPolicy following;

  /** By the loop's clock: until then, the roll-up is read again after an unchanged sum. */
  Instant rereadUntil;

  private boolean isLarge;

  /** How many cycles have failed, one after the other. */
  private int failures;

  /** When the last sum was read that was acted upon. */
  private Optional<Instant> lastSum = Optional.empty();

  LiveCounter(Roller roller, LiveSet.Member<CounterId> member, RollerPolicy following) {
    this.roller = roller;
    this.member = member;
    this.following = following;
    this.rereadUntil = roller.rereadUntil(member.timing());
  }

  CounterId id() {
    return member.key();
  }

  @Override
  public CompletableFuture<Void> once() {
    return roller.rollUp(this);
  }

  @Override
  public void takenOver() {
    rereadUntil = roller.rereadUntil(member.timing());
  }

  /**
   * Takes the counter up again: its calls may work now, and a large counter may have become due.
   */
  @Override
  public void liveAgain() {
    member.waitUntil(Times.LONG_AGO);
  }

  /** A large counter is left to the schedule, once its roll-up was read. */
  @Override
  public boolean isLeftToSchedule() {
    return isLarge;
  }

  boolean isLarge() {
    return isLarge;
  }

  /** Notes a roll-up, by which the counter is large or not. A large one waits for another run. */
  void size(Rollup rollup) {
    isLarge = member.timing().isLarge(rollup.shards());
    member.waitUntil(isLarge ? Instant.MAX : Times.LONG_AGO);
  }

  /** Whether its roll-up has never been read. */
  boolean isNew() {
    return lastSum.isEmpty() && following.rollup().isEmpty();
  }

  /** Whether the roller passes over it, since its calls keep failing. */
  @Override
  public boolean isFailing() {
    return failures >= MAX_FAILURES;
  }

  void forget() {
    following = following.forget();
  }

  /**
   * Notes a sum that has been acted upon.
   *
   * @return when the sum before this one was read: all changes shown now are newer; empty for the
   *     first
   */
  Optional<Instant> summed(Sum sum) {
    Optional<Instant> before = lastSum.filter(sum.readTime()::isAfter);
    lastSum = Optional.of(sum.readTime());
    failures = 0;
    return before;
  }

  /** Notes that a write was refused, since somebody else has written: its calls work. */
  void refused() {
    failures = 0;
  }

  /**
   * Notes that a call for it has failed. If that was a write, it may still take effect.
   *
   * @return whether the roller passes over it from now on
   */
  boolean failed(Instant now, Duration passedOver) {
    forget();
    rereadUntil = now.plus(Timing.LONGEST_CALL);
    if (++failures >= MAX_FAILURES && !isLarge) {
      member.waitUntil(now.plus(passedOver));
    }
    return isFailing();
  }
}
