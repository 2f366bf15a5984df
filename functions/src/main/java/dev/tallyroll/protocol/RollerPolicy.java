package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.Timing;
import java.time.Instant;
import java.util.Optional;

/**
 * The policy of a roller's cycles, which keeps what the roller knows of a live counter from one
 * tick to the next. Immutable.
 *
 * @param run when the run has listed what is live, if the schedule has asked for it: it sums a
 *     large counter once, and another run never
 * @param rollup as it was read or written last; empty if it must be read
 * @param lease the end of the last lease that was seen
 * @param busy whether every sum under that lease showed a change
 * @param last the last sum, if totals are held: a held change counts only once
 * @param owed how often in a row the counter could not be settled for the sake of its fields
 */
record RollerPolicy(
    Timing timing,
    Optional<Instant> run,
    Optional<Rollup> rollup,
    Optional<Instant> lease,
    boolean busy,
    Optional<Sum> last,
    int owed)
    implements Cycle.Policy<RollerPolicy> {
  /** After the second refusal in a cycle, the counter waits for the next tick. */
  private static final int MAX_ATTEMPTS = 2;

  /** After so many, it is settled without its fields, which the sweep writes. */
  private static final int MOST_OWED = 3;

  /** A counter whose roll-up was never read. */
  static RollerPolicy unknown(Timing timing, Optional<Instant> run) {
    return new RollerPolicy(
        timing, run, Optional.empty(), Optional.empty(), true, Optional.empty(), 0);
  }

  /** The roll-up with which the next cycle begins: that of a large counter is read first. */
  Optional<Rollup> known() {
    return rollup.filter(stored -> !timing.isLarge(stored.shards()));
  }

  @Override
  public int attempts() {
    return MAX_ATTEMPTS;
  }

  /** It owes nothing without a lease, and not yet if its lease has no events but its creator's. */
  @Override
  public boolean isDoneAfter(Reading reading) {
    return reading.rollup().flatMap(Rollup::liveUntil).isEmpty()
        || isTooEarlyToSettle(reading)
        || isLeft(reading.rollup().orElseThrow());
  }

  /** Whether a large counter waits for the next scheduled run. */
  private boolean isLeft(Rollup rollup) {
    return timing.isLarge(rollup.shards()) && run.filter(rollup.asOf()::isBefore).isEmpty();
  }

  /**
   * Whether it is a new roll-up, with a total as of its lease's end: a sum may end the lease once
   * SLACK has passed.
   */
  private boolean isTooEarlyToSettle(Reading reading) {
    Rollup rollup = reading.rollup().orElseThrow();
    return rollup
        .liveUntil()
        .filter(end -> !end.isAfter(rollup.asOf()))
        .filter(end -> !timing.hasRunOut(end, reading.readTime()))
        .isPresent();
  }

  @Override
  public Optional<Change> decide(Optional<Rollup> stored, Sum sum) {
    return Decisions.ofRoller(stored.orElseThrow(), sum, busy, timing);
  }

  @Override
  public Optional<Change> owing(Optional<Rollup> stored, Change decided) {
    return stored
        .filter(unused -> owed < MOST_OWED)
        .flatMap(rollup -> Decisions.owingOfRoller(rollup, decided, timing));
  }

  @Override
  public RollerPolicy after(Cycle<RollerPolicy> before, Cycle<RollerPolicy> after) {
    return switch (before.next()) {
      case READ -> after.next() == Cycle.Next.SUM ? learn(after.stored().orElseThrow()) : forget();
      case SUM -> after.sum().map(sum -> judge(before, after, sum)).orElseGet(this::forget);
      case WRITE ->
          after.next() == Cycle.Next.WRITTEN
              ? after.result().map(owing(before, after)::learn).orElseGet(this::forget)
              : forget();
      default -> this;
    };
  }

  /**
   * After a sum that changes nothing, the counter may be calm. After the lease's end handlers
   * write, so the known roll-up may be old then.
   */
  private RollerPolicy judge(Cycle<RollerPolicy> before, Cycle<RollerPolicy> after, Sum sum) {
    boolean writes = after.change().isPresent();
    boolean changes =
        writes
            || !sum.isUsable()
            || (timing.holds() && hasMoved(sum))
            || Decisions.isTooSoonToJudge(before.stored().orElseThrow(), sum, timing);
    boolean ended = lease.filter(sum.readTime()::isAfter).isPresent();
    return new RollerPolicy(
        timing,
        run,
        rollup.filter(known -> writes || !ended),
        lease,
        busy && changes,
        Optional.of(sum).filter(unused -> timing.holds()),
        owed);
  }

  /** Notes whether fields could be written. */
  private RollerPolicy owing(Cycle<RollerPolicy> before, Cycle<RollerPolicy> after) {
    int times = before.change().equals(after.change()) ? 0 : owed + 1;
    return new RollerPolicy(timing, run, rollup, lease, busy, last, times);
  }

  private boolean hasMoved(Sum sum) {
    return last.filter(sum::isExactly).isEmpty();
  }

  /** A roll-up with a lease, which this roller has read or written. */
  RollerPolicy learn(Rollup known) {
    Optional<Instant> until = known.liveUntil();
    boolean anew = !until.equals(lease);
    return new RollerPolicy(timing, run, Optional.of(known), until, busy || anew, last, owed);
  }

  /** Forgets the roll-up, since somebody else may have written it. */
  RollerPolicy forget() {
    return new RollerPolicy(timing, run, Optional.empty(), lease, busy, last, owed);
  }
}
