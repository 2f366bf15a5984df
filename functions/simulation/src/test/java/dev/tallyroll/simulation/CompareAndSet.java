package dev.tallyroll.simulation;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.Effect;
import java.time.Instant;
import java.util.Optional;

/** The effect of a write of a roll-up in Firestore. Pure. */
public final class CompareAndSet {
  private CompareAndSet() {}

  /** Whether the present roll-up is the one that the writer expects. */
  public static boolean passes(Change change, Optional<Rollup> held) {
    return change.expected().equals(held.map(Rollup::updateTime));
  }

  /** The roll-up after a write that {@link #passes}; empty after a delete. */
  public static Optional<Rollup> applied(Change change, Optional<Rollup> held, Instant now) {
    if (change.effect() == Effect.REMOVE) {
      return Optional.empty();
    }
    Sum sum = change.sum().or(() -> held.map(Rollup::sum)).orElseThrow();
    Optional<Instant> lease = change.liveUntil().or(() -> held.flatMap(Rollup::liveUntil));
    Rollup before = held.orElse(Rollup.of(sum, lease, now));
    boolean ends = change.effect() == Effect.END;
    return Optional.of(before.with(sum, ends ? Optional.empty() : lease).at(now));
  }

  /** Whether the counter has an entry in the live list after the write. */
  public static boolean isListed(Change change, boolean before) {
    return (change.effect() == Effect.CREATE && change.liveUntil().isPresent())
        || change.effect() == Effect.BEGIN
        || (before && change.effect() == Effect.UPDATE);
  }
}
