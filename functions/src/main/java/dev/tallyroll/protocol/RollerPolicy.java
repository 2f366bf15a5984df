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
 * @param fieldRetries how often in a row the counter could not be settled for the sake of its
 *     fields
 */
record RollerPolicy(
    Timing timing,
    Optional<Instant> run,
    Optional<Rollup> rollup,
    Optional<Instant> lease,
    boolean busy,
    Optional<Sum> last,
    int fieldRetries)
    implements Cycle.Policy<RollerPolicy> {
  /** After the second refusal in a cycle, the counter waits for the next tick. */
  private static final int MAX_ATTEMPTS = 2;

  /** After so many, it is settled without its fields, which the sweep writes. */
  private static final int MOST_FIELD_RETRIES = 3;

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
  public RollerPolicy self() {
    return this;
  }

  @Override
  public int attempts() {
    return MAX_ATTEMPTS;
  }

  /**
   * Nothing is left to do without a lease, before a new roll-up can be settled, or until the
   * schedule.
   */
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
  public Optional<Change> retryFieldsLater(Optional<Rollup> stored, Change decided) {
    return fieldRetries < MOST_FIELD_RETRIES
        ? stored.flatMap(rollup -> Decisions.retryFieldsOfRoller(rollup, decided, timing))
        : Optional.empty();
  }

  @Override
  public RollerPolicy afterRead(Optional<Rollup> found, int lostRaces) {
    return learn(found.orElseThrow());
  }

  /**
   * After a sum that changes nothing, the counter may be calm. After the lease's end handlers
   * write, so the known roll-up may be old then.
   */
  @Override
  public RollerPolicy afterSum(Optional<Rollup> stored, Sum sum, Optional<Change> decided) {
    boolean writes = decided.isPresent();
    boolean changes =
        writes
            || !sum.isUsable()
            || (timing.holds() && hasMoved(sum))
            || Decisions.isTooSoonToJudge(stored.orElseThrow(), sum, timing);
    boolean ended = lease.filter(sum.readTime()::isAfter).isPresent();
    return new RollerPolicy(
        timing,
        run,
        rollup.filter(known -> writes || !ended),
        lease,
        busy && changes,
        timing.holds() ? Optional.of(sum) : Optional.empty(),
        fieldRetries);
  }

  @Override
  public RollerPolicy afterWrite(Optional<Rollup> result, boolean asDecided) {
    int retries = asDecided ? 0 : fieldRetries + 1;
    return result
        .map(new RollerPolicy(timing, run, rollup, lease, busy, last, retries)::learn)
        .orElseGet(this::forget);
  }

  @Override
  public RollerPolicy forgetting(Optional<Rollup> equal) {
    return forget();
  }

  private boolean hasMoved(Sum sum) {
    return last.filter(sum::isExactly).isEmpty();
  }

  /** A roll-up with a lease, which this roller has read or written. */
  RollerPolicy learn(Rollup known) {
    Optional<Instant> until = known.liveUntil();
    boolean anew = !until.equals(lease);
    return new RollerPolicy(
        timing, run, Optional.of(known), until, busy || anew, last, fieldRetries);
  }

  /** Forgets the roll-up, since somebody else may have written it. */
  RollerPolicy forget() {
    return new RollerPolicy(timing, run, Optional.empty(), lease, busy, last, fieldRetries);
  }
}
