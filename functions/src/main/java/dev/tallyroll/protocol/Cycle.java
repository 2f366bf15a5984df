package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupStore.Written;
import java.time.Instant;
import java.util.Optional;

/**
 * One counter's way to a right roll-up: read it, sum the shards, decide, compare-and-set. A refused
 * write begins again. Handler, roller, poll and sweep go this way, each by its {@link Policy}.
 *
 * <p>A cycle is in one of seven phases. The three that are {@link Open} name the next call, and
 * take its answer, which gives the phase after it; {@link Cycles} makes the calls. The other four
 * are ends. All are immutable. The small worlds take the same steps in every order.
 *
 * <table>
 *   <caption>The steps</caption>
 *   <tr><th>phase <th>answer of its call <th>next phase
 *   <tr><td>ToRead <td>a document of others, or nothing is left to do <td>PassedOver
 *   <tr><td>ToRead <td>the policy promises a later sum <td>ToWrite
 *   <tr><td>ToRead <td>any other <td>ToSum
 *   <tr><td>ToSum <td>the sum cannot decide: for a handler, it is not newer than the roll-up; for
 *       a poll, it is equal to a roll-up that was only remembered <td>ToRead, or GivenUp
 *   <tr><td>ToSum <td>nothing is to be written <td>Unchanged
 *   <tr><td>ToSum <td>something is to be written <td>ToWrite
 *   <tr><td>ToWrite <td>written <td>Changed
 *   <tr><td>ToWrite <td>the counter is to have no roll-up <td>Unchanged
 *   <tr><td>ToWrite <td>refused <td>ToRead, or GivenUp
 * </table>
 */
sealed interface Cycle<P extends Cycle.Policy<P>> {

  /** The policy as the last step has left it. */
  P policy();

  /** The roll-up as this phase knows it; empty if there is none, or it must be read. */
  default Optional<Rollup> stored() {
    return Optional.empty();
  }

  /** The last sum since the roll-up was read. */
  default Optional<Sum> sum() {
    return Optional.empty();
  }

  /** A phase that names the next call. */
  sealed interface Open<P extends Policy<P>> extends Cycle<P> {
    /** How many reads and writes have come to nothing. */
    int attempts();

    /** How often another writer was faster, from a sum of this cycle to its write. */
    int lostRaces();
  }

  /**
   * The roll-up is to be read.
   *
   * @param refusedSumTime when the sum of a refused write was read, if that replaced a roll-up
   */
  record ToRead<P extends Policy<P>>(
      P policy, int attempts, Optional<Instant> refusedSumTime, int lostRaces) implements Open<P> {

    Cycle<P> read(Reading answer) {
      Optional<Rollup> found = answer.rollup();
      boolean isForeign = found.filter(Rollup::isForeign).isPresent();
      if (isForeign || policy.isDoneAfter(answer)) {
        return new PassedOver<>(policy.forgetting(Optional.empty()), answer);
      }
      int races = lostRaces + (wasOvertaken(found) ? 1 : 0);
      P next = policy.afterRead(found, races);
      Optional<Change> promise = policy.withoutSum(answer);
      return promise.isPresent()
          ? new ToWrite<>(next, attempts, found, Optional.empty(), promise.get(), races)
          : new ToSum<>(next, attempts, found, races);
    }

    /** Whether somebody else has written the roll-up since the sum of the refused write. */
    private boolean wasOvertaken(Optional<Rollup> found) {
      return found.isPresent()
          && refusedSumTime.isPresent()
          && found.get().updateTime().isAfter(refusedSumTime.get());
    }
  }

  /** The shards are to be summed. */
  record ToSum<P extends Policy<P>>(P policy, int attempts, Optional<Rollup> stored, int lostRaces)
      implements Open<P> {

    Cycle<P> summed(Sum answer) {
      Optional<Change> decided =
          policy
              .decide(stored, answer)
              .map(change -> change.retryingFieldsWith(policy.retryFieldsLater(stored, change)));
      if (policy.mustReadAgain(stored, answer, decided)) {
        return again(this, stored, Optional.empty());
      }
      P next = policy.afterSum(stored, answer, decided);
      Optional<Sum> last = Optional.of(answer);
      return decided.isPresent()
          ? new ToWrite<>(next, attempts, stored, last, decided.get(), lostRaces)
          : new Unchanged<>(next, stored, last);
    }
  }

  /**
   * A change is to be written.
   *
   * @param sum empty for a promise
   */
  record ToWrite<P extends Policy<P>>(
      P policy,
      int attempts,
      Optional<Rollup> stored,
      Optional<Sum> sum,
      Change change,
      int lostRaces)
      implements Open<P> {

    /**
     * Takes the outcome of the write.
     *
     * @param applied empty if the write was refused
     */
    Cycle<P> written(Optional<Written> applied) {
      if (applied.isEmpty()) {
        // If another instance has just created the roll-up, that is no sign of many writes.
        Optional<Instant> refused = stored.flatMap(old -> sum).map(Sum::readTime);
        return again(this, Optional.empty(), refused);
      }
      Optional<Instant> version = applied.get().version();
      if (version.isEmpty()) {
        return new Unchanged<>(policy.forgetting(Optional.empty()), stored, sum);
      }
      Change made = applied.get().instead().orElse(change);
      P next = policy.afterWrite(made.applied(stored, version.get()), made.equals(change));
      return new Changed<>(next, stored, sum, made, version.get());
    }
  }

  /** The end after a read: the roll-up is a document of others, or leaves nothing to do. */
  record PassedOver<P extends Policy<P>>(P policy, Reading reading) implements Cycle<P> {
    @Override
    public Optional<Rollup> stored() {
      return reading.rollup();
    }

    boolean isForeign() {
      return reading.foreign().isPresent();
    }
  }

  /** The end without a write. */
  record Unchanged<P extends Policy<P>>(P policy, Optional<Rollup> stored, Optional<Sum> sum)
      implements Cycle<P> {}

  /**
   * The end after a write.
   *
   * @param stored the roll-up before
   * @param change what was written
   * @param version the roll-up's new one
   */
  record Changed<P extends Policy<P>>(
      P policy, Optional<Rollup> stored, Optional<Sum> sum, Change change, Instant version)
      implements Cycle<P> {

    /** The roll-up afterwards; empty if it was removed, or its lease was. */
    Optional<Rollup> result() {
      return change.applied(stored, version);
    }
  }

  /** The end after too many attempts. */
  record GivenUp<P extends Policy<P>>(P policy, int attempts) implements Cycle<P> {}

  /**
   * The part of a cycle in which handler, roller, poll and sweep differ: how often it tries, and
   * what it decides. It may also keep what its caller knows of the counter. Immutable.
   *
   * @param <P> its own class
   */
  interface Policy<P extends Policy<P>> {
    /** This policy. */
    P self();

    /** How many times in all a cycle may read or write, before it is given up. */
    int attempts();

    /**
     * Whether the roll-up is read, and the shards are summed, once more; else this sum may change
     * nothing, and the next cycle comes in time.
     *
     * @param decided of {@link #decide}
     */
    default boolean mustReadAgain(Optional<Rollup> stored, Sum sum, Optional<Change> decided) {
      return false;
    }

    /** Whether a roll-up of ours that was just read, or its absence, leaves nothing to do. */
    boolean isDoneAfter(Reading reading);

    /** What is written in place of a sum now, after a roll-up that was just read. */
    default Optional<Change> withoutSum(Reading reading) {
      return Optional.empty();
    }

    /**
     * Decides what to write.
     *
     * @param sum usable or not, newer than the roll-up or not
     */
    Optional<Change> decide(Optional<Rollup> stored, Sum sum);

    /** The change to write if the fields cannot be written now: {@link Change#retryFieldsLater}. */
    default Optional<Change> retryFieldsLater(Optional<Rollup> stored, Change decided) {
      return Optional.empty();
    }

    /** The policy after a read that is followed by a sum, or by a promise of one. */
    default P afterRead(Optional<Rollup> found, int lostRaces) {
      return self();
    }

    /** The policy after a sum that has decided. */
    default P afterSum(Optional<Rollup> stored, Sum sum, Optional<Change> decided) {
      return self();
    }

    /**
     * The policy after a write.
     *
     * @param result the roll-up; empty if it was removed, or its lease was
     * @param asDecided false if fields could not be written
     */
    default P afterWrite(Optional<Rollup> result, boolean asDecided) {
      return self();
    }

    /**
     * The policy if the roll-up that was known may have changed.
     *
     * @param equal one that the last sum was equal to
     */
    default P forgetting(Optional<Rollup> equal) {
      return self();
    }
  }

  /** A cycle of a counter whose roll-up is known, or must be read. */
  static <P extends Policy<P>> Cycle<P> begin(P policy, Optional<Rollup> known) {
    return known.isPresent()
        ? new ToSum<>(policy, 0, known, 0)
        : new ToRead<>(policy, 0, Optional.empty(), 0);
  }

  private static <P extends Policy<P>> Cycle<P> again(
      Open<P> before, Optional<Rollup> equal, Optional<Instant> refusedSumTime) {
    int tried = before.attempts() + 1;
    P next = before.policy().forgetting(equal);
    return tried < before.policy().attempts()
        ? new ToRead<>(next, tried, refusedSumTime, before.lostRaces())
        : new GivenUp<>(next, tried);
  }
}
