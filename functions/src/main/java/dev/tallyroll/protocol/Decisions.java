package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what handler, roller and sweep write, given a roll-up that was read, if there is one, and
 * a sum that was read after it. They write nothing if the sum is not a number, or not newer than
 * the roll-up.
 */
final class Decisions {
  private Decisions() {}

  static boolean isNewer(Sum sum, Optional<Rollup> stored) {
    return stored.map(rollup -> sum.readTime().isAfter(rollup.asOf())).orElse(true);
  }

  private static boolean canBeWritten(Sum sum, Optional<Rollup> stored) {
    return sum.isUsable() && isNewer(sum, stored);
  }

  /**
   * Writes even an unchanged total, so that a writer with an older sum is refused.
   *
   * @param makeLive whether the counter is to become live
   */
  static Optional<Change> ofHandler(
      Optional<Rollup> stored, Sum sum, boolean makeLive, Timing timing) {
    if (!canBeWritten(sum, stored)) {
      return Optional.empty();
    }
    Duration length = stored.map(rollup -> timing.of(rollup.shards())).orElse(timing).leaseLength();
    Instant until = makeLive ? leaseEnd(sum, length) : sum.readTime();
    if (stored.isEmpty()) {
      return create(sum, until);
    }
    Rollup rollup = stored.get();
    Optional<Instant> held = rollup.liveUntil();
    if (isToBeRemoved(rollup, sum) && !isLive(rollup, sum, timing)) {
      return Change.remove(rollup);
    }
    return Optional.of(
        makeLive
            ? Change.begin(rollup, sum, held.filter(until::isBefore).orElse(until))
            : Change.update(rollup, sum, Optional.empty()));
  }

  /** A lease from the time of a read, which never ends before one that is there. */
  static Change promise(Rollup stored, Instant readTime, Timing timing) {
    Instant until = readTime.plus(timing.of(stored.shards()).leaseLength());
    return Change.promise(stored, stored.liveUntil().filter(until::isBefore).orElse(until));
  }

  /**
   * Whether the roll-up goes, since nothing is there of the counter and the document has our fields
   * only; a server's field keeps it, mark and all, with a total of 0. A total of 0 is written only
   * over one that we have written.
   */
  private static boolean isToBeRemoved(Rollup stored, Sum sum) {
    return stored.wasWritten()
        ? sum.isOfNothing() && stored.whose() == Rollup.Whose.OURS
        : sum.shards() == 0;
  }

  /**
   * What is written in the place of a change if the fields of the counter's own document cannot be
   * written now: it leaves a lease that has ended, so the next run finds the counter. Empty if
   * there is a lease anyway.
   */
  static Optional<Change> retryFieldsOfHandler(Optional<Rollup> stored, Change change) {
    return stored
        .filter(rollup -> rollup.liveUntil().isEmpty() && change.effect() == Change.Effect.UPDATE)
        .flatMap(rollup -> change.sum().map(sum -> Change.begin(rollup, sum, sum.readTime())));
  }

  /** As above: the counter is not settled, but stays live for another LEASE. */
  static Optional<Change> retryFieldsOfRoller(Rollup stored, Change change, Timing timing) {
    return change
        .sum()
        .filter(sum -> change.effect() == Change.Effect.END)
        .map(
            sum ->
                Change.update(
                    stored, sum, Optional.of(leaseEnd(sum, timing.of(stored.shards()).lease()))));
  }

  /** A create has no version to guard it, so its expired lease obliges the roller to sum again. */
  private static Optional<Change> create(Sum sum, Instant until) {
    return sum.shards() == 0 ? Optional.empty() : Optional.of(Change.create(sum, until));
  }

  /**
   * Writes a total that has changed. Renews the lease of a busy counter, even an expired one; lets
   * any other expire, and ends it then.
   *
   * @param busy whether every sum before this one, under this lease, showed a change
   */
  static Optional<Change> ofRoller(Rollup stored, Sum sum, boolean busy, Timing usual) {
    Timing timing = usual.of(stored.shards());
    Instant until = stored.liveUntil().orElseThrow();
    boolean usable = sum.isUsable();
    boolean changed = usable && sum.differsFrom(stored);
    if (isTooSoonToJudge(stored, sum, timing)) {
      return Optional.empty();
    }
    boolean due = changed && isDue(stored, sum, timing);
    if (changed && busy && !isToBeRemoved(stored, sum)) {
      boolean ending = until.isBefore(leaseEnd(sum, timing.tick().multipliedBy(2)));
      if (!due && !ending) {
        return Optional.empty();
      }
      Instant longer = leaseEnd(sum, timing.leaseLength());
      boolean renews = until.isBefore(longer.minus(timing.leaseLength().dividedBy(2)));
      return Optional.of(
          Change.update(stored, sum, renews ? Optional.of(longer) : Optional.empty()));
    }
    if (timing.hasRunOut(until, sum.readTime())) {
      // The lease promised a sum, and this is one, though unusable; the write that mends the shards
      // brings its own event.
      return usable && isToBeRemoved(stored, sum)
          ? Change.remove(stored)
          : Optional.of(Change.end(stored, usable ? Optional.of(sum) : Optional.empty()));
    }
    return due ? Optional.of(Change.update(stored, sum, Optional.empty())) : Optional.empty();
  }

  /**
   * The end of a new lease: it lasts from the end of this sum to that of the next, which takes as
   * long. A lease from the sum's read alone would have ended before it is written, if the sum takes
   * longer than that.
   */
  private static Instant leaseEnd(Sum sum, Duration length) {
    Duration lease = length.plus(sum.took().multipliedBy(2));
    return sum.readTime()
        .plus(lease.compareTo(Times.LONGEST_LEASE) < 0 ? lease : Times.LONGEST_LEASE);
  }

  /** Whether a changed total is to be written now. */
  static boolean isDue(Rollup shown, Sum sum, Timing timing) {
    return !timing.holds()
        || sum.isFarFrom(shown, timing.precision())
        || !sum.readTime().isBefore(shown.asOf().plus(timing.hold()));
  }

  /** A total that was written a moment ago cannot have changed much since. */
  static boolean isTooSoonToJudge(Rollup stored, Sum sum, Timing timing) {
    Instant earliest = stored.updateTime().plus(timing.of(stored.shards()).tick().dividedBy(2));
    return !isNewer(sum, Optional.of(stored))
        || (sum.isUsable() && !sum.differsFrom(stored) && sum.readTime().isBefore(earliest));
  }

  /**
   * Writes a total that has changed, if that is due. It makes nothing live; but while events are
   * turned into polls, or back, handlers may have: it writes beside such a lease, and ends it in
   * time.
   */
  static Optional<Change> ofPoll(Optional<Rollup> stored, Sum sum, Timing timing) {
    if (!canBeWritten(sum, stored)) {
      return Optional.empty();
    }
    if (stored.isEmpty()) {
      return sum.shards() == 0 ? Optional.empty() : Optional.of(Change.createQuiet(sum));
    }
    Rollup rollup = stored.get();
    boolean due = isDue(rollup, sum, timing);
    return isLive(rollup, sum, timing) ? changed(rollup, sum, due) : settled(rollup, sum, due);
  }

  /** Whether the roll-up holds a lease that this sum may not end. */
  private static boolean isLive(Rollup rollup, Sum sum, Timing timing) {
    return rollup.liveUntil().filter(end -> !timing.hasRunOut(end, sum.readTime())).isPresent();
  }

  /**
   * Corrects a wrong total, ends an expired lease that nobody has ended, and leaves live counters
   * alone.
   */
  static Optional<Change> ofSweep(Optional<Rollup> stored, Sum sum, Timing timing) {
    if (!canBeWritten(sum, stored)) {
      return Optional.empty();
    }
    if (stored.isEmpty()) {
      return create(sum, sum.readTime());
    }
    Rollup rollup = stored.get();
    return isLive(rollup, sum, timing) ? Optional.empty() : settled(rollup, sum, /* due= */ true);
  }

  /**
   * If no lease is left, or it has run out: removes the roll-up, ends the lease, or corrects it.
   */
  private static Optional<Change> settled(Rollup rollup, Sum sum, boolean due) {
    if (isToBeRemoved(rollup, sum)) {
      return Change.remove(rollup);
    }
    return rollup.liveUntil().isPresent()
        ? Optional.of(Change.end(rollup, Optional.of(sum)))
        : changed(rollup, sum, due);
  }

  private static Optional<Change> changed(Rollup rollup, Sum sum, boolean due) {
    return due && sum.differsFrom(rollup)
        ? Optional.of(Change.update(rollup, sum, Optional.empty()))
        : Optional.empty();
  }
}
