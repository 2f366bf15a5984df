package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import java.time.Instant;
import java.util.Optional;

/**
 * One commit, which takes effect as a whole or not at all: a compare-and-set on a roll-up document,
 * and the change of its entry in the live list. Fields that it does not name stay as they are.
 *
 * @param replaced the roll-up, at the version that it must have; empty if it must be absent
 * @param sum the new total, its shards and its time; empty to leave all three
 * @param liveUntil the new end of the lease; empty to leave the lease as it is then
 * @param retryFieldsLater the change to write if the fields of the counter's own document cannot be
 *     written now, so that the next run tries them again; empty if no retry is needed
 */
public record Change(
    Effect effect,
    Optional<Rollup> replaced,
    Optional<Sum> sum,
    Optional<Instant> liveUntil,
    Optional<Change> retryFieldsLater) {

  /** One that is the same if fields cannot be written. */
  public Change(
      Effect effect, Optional<Rollup> replaced, Optional<Sum> sum, Optional<Instant> liveUntil) {
    this(effect, replaced, sum, liveUntil, /* retryFieldsLater= */ Optional.empty());
  }

  /** The effect on the document, and on the counter's entry in the live list. */
  public enum Effect {
    /** Creates the document, and with a lease its entry. */
    CREATE,
    /** Changes the document; the entry stays as it is. */
    UPDATE,
    /** Makes the counter live: creates its entry. */
    BEGIN,
    /** Makes the counter quiet: deletes its lease and its entry. */
    END,
    /** Deletes the document and its entry. */
    REMOVE
  }

  static Change create(Sum sum, Instant liveUntil) {
    return create(sum, Optional.of(liveUntil));
  }

  /** Creates a quiet roll-up, for whoever looks at it again soon. */
  static Change createQuiet(Sum sum) {
    return create(sum, Optional.empty());
  }

  private static Change create(Sum sum, Optional<Instant> liveUntil) {
    return new Change(Effect.CREATE, Optional.empty(), Optional.of(sum), liveUntil);
  }

  static Change update(Rollup stored, Sum sum, Optional<Instant> liveUntil) {
    return of(Effect.UPDATE, stored, Optional.of(sum), liveUntil);
  }

  static Change begin(Rollup stored, Sum sum, Instant liveUntil) {
    return of(Effect.BEGIN, stored, Optional.of(sum), Optional.of(liveUntil));
  }

  /** A lease alone: a later sum is promised, in place of one now. */
  static Change promise(Rollup stored, Instant liveUntil) {
    return of(Effect.BEGIN, stored, Optional.empty(), Optional.of(liveUntil));
  }

  static Change end(Rollup stored, Optional<Sum> sum) {
    return of(Effect.END, stored, sum, Optional.empty());
  }

  /**
   * Removes the roll-up of a deleted counter. If no total was ever written into the document, it
   * stays: somebody else has set its mark.
   */
  static Optional<Change> remove(Rollup stored) {
    if (stored.wasWritten()) {
      return Optional.of(of(Effect.REMOVE, stored, Optional.empty(), Optional.empty()));
    }
    return stored.liveUntil().map(until -> end(stored, Optional.empty()));
  }

  private static Change of(
      Effect effect, Rollup stored, Optional<Sum> sum, Optional<Instant> liveUntil) {
    return new Change(effect, Optional.of(stored), sum, liveUntil);
  }

  /** The version of the document, its update time; empty if it must be absent. */
  public Optional<Instant> expected() {
    return replaced.map(Rollup::updateTime);
  }

  /** The same change, with another for the case that fields cannot be written. */
  Change retryingFieldsWith(Optional<Change> other) {
    return new Change(effect, replaced, sum, liveUntil, other);
  }

  /** Whether the change must wake a roller: it gives the counter a lease that has not ended. */
  boolean wakes() {
    boolean entersList = effect == Effect.BEGIN || effect == Effect.CREATE;
    return entersList
        && sum.isPresent()
        && liveUntil.filter(sum.get().readTime()::isBefore).isPresent();
  }

  /** Whether the counter is quiet afterwards. */
  boolean ends() {
    return effect == Effect.END || effect == Effect.REMOVE;
  }

  /** The roll-up afterwards; empty after REMOVE and END. */
  Optional<Rollup> applied(Optional<Rollup> stored, Instant updateTime) {
    if (ends()) {
      return Optional.empty();
    }
    Sum written = sum.orElseGet(() -> stored.orElseThrow().sum());
    return stored
        .map(rollup -> rollup.with(written, liveUntil.or(rollup::liveUntil)).at(updateTime))
        .or(() -> Optional.of(Rollup.of(written, liveUntil, updateTime)));
  }
}
