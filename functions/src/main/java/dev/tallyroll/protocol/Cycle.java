package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupWriter.Written;
import java.time.Instant;
import java.util.Optional;

/**
 * One counter's way to a right roll-up: read it, sum the shards, decide, compare-and-set; if that
 * is refused, again. Handler, roller, poll and sweep go this way, each by its {@link Policy}.
 *
 * <p>Immutable. Each step takes the answer of the call that {@link #next} names, and gives the
 * cycle after it; {@link Cycles} makes the calls. The small worlds take the same steps in every
 * order.
 *
 * <table>
 *   <caption>The steps</caption>
 *   <tr><th>next call <th>answer <th>then
 *   <tr><td>READ <td>a document of others <td>FOREIGN
 *   <tr><td>READ <td>leaves nothing to do <td>PASSED
 *   <tr><td>READ <td>is to be promised a later sum <td>WRITE
 *   <tr><td>READ <td>any other <td>SUM
 *   <tr><td>SUM <td>says too little: not newer than the roll-up, for a handler; equal to a roll-up
 *       that was only remembered, for a poll <td>READ, or GIVEN_UP
 *   <tr><td>SUM <td>nothing to write <td>UNCHANGED
 *   <tr><td>SUM <td>something to write <td>WRITE
 *   <tr><td>WRITE <td>done <td>WRITTEN
 *   <tr><td>WRITE <td>there is to be no roll-up <td>UNCHANGED
 *   <tr><td>WRITE <td>refused <td>READ, or GIVEN_UP
 * </table>
 *
 * @param policy as it is after the last step
 * @param stored the roll-up as it was read, or known from the start
 * @param reading what was read, if that was the last step, and has ended the cycle
 * @param sum the last one, since the roll-up was read
 * @param change what is to be written; after WRITTEN, what was
 * @param refusedSumTime when the sum of a refused write was read, if that replaced a roll-up
 * @param lostRaces how often another writer was faster, from the sum to the write of this cycle
 * @param version the roll-up's new one after WRITTEN
 */
record Cycle<P extends Cycle.Policy<P>>(
    P policy,
    Next next,
    int attempts,
    Optional<Rollup> stored,
    Optional<Reading> reading,
    Optional<Sum> sum,
    Optional<Change> change,
    Optional<Instant> refusedSumTime,
    int lostRaces,
    Optional<Instant> version) {

  /** The next call, or how the cycle has ended. */
  enum Next {
    READ,
    SUM,
    WRITE,
    FOREIGN,
    PASSED,
    UNCHANGED,
    WRITTEN,
    GIVEN_UP
  }

  /**
   * The part of a cycle in which handler, roller, poll and sweep differ: how often it tries, and
   * what it decides. It may also keep what its caller knows of the counter. Immutable.
   *
   * @param <P> its own class
   */
  interface Policy<P extends Policy<P>> {
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

    /** Whether a roll-up that was just read, if there is one, leaves nothing to do. */
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

    /** What is written in its place if fields cannot be written: see {@link Change#owing}. */
    default Optional<Change> owing(Optional<Rollup> stored, Change decided) {
      return Optional.empty();
    }

    /** The policy after a step. */
    P after(Cycle<P> before, Cycle<P> after);
  }

  /** A cycle of a counter whose roll-up is known, or must be read. */
  static <P extends Policy<P>> Cycle<P> begin(P policy, Optional<Rollup> known) {
    Next next = known.isPresent() ? Next.SUM : Next.READ;
    return new Cycle<>(policy, next, 0, known, none(), none(), none(), none(), 0, none());
  }

  private static <T> Optional<T> none() {
    return Optional.empty();
  }

  /** Whether a call is next. */
  boolean goesOn() {
    return next == Next.READ || next == Next.SUM || next == Next.WRITE;
  }

  /** Takes what was read. */
  Cycle<P> read(Reading answer) {
    Optional<Rollup> found = answer.rollup();
    boolean foreign = found.filter(Rollup::isForeign).isPresent();
    boolean done = policy.isDoneAfter(answer);
    Optional<Change> promise = done || foreign ? none() : policy.withoutSum(answer);
    Optional<Reading> last = Optional.of(answer).filter(unused -> done || foreign);
    boolean since =
        found.stream()
            .anyMatch(rollup -> refusedSumTime.stream().anyMatch(rollup.updateTime()::isAfter));
    int others = lostRaces + (since ? 1 : 0);
    return step(
        new Cycle<>(
            policy,
            done
                ? Next.PASSED
                : foreign ? Next.FOREIGN : promise.isPresent() ? Next.WRITE : Next.SUM,
            attempts,
            found,
            last,
            none(),
            promise,
            none(),
            others,
            none()));
  }

  /** Takes the sum. */
  Cycle<P> summed(Sum answer) {
    Optional<Change> decided =
        policy
            .decide(stored, answer)
            .map(decision -> decision.orOwing(policy.owing(stored, decision)));
    if (policy.mustReadAgain(stored, answer, decided)) {
      return again(none());
    }
    Next then = decided.isPresent() ? Next.WRITE : Next.UNCHANGED;
    Optional<Sum> last = Optional.of(answer);
    return step(
        new Cycle<>(
            policy, then, attempts, stored, none(), last, decided, none(), lostRaces, none()));
  }

  /**
   * Takes the outcome of the write.
   *
   * @param applied empty if the write was refused
   */
  Cycle<P> written(Optional<Written> applied) {
    // If another instance has just created the roll-up, that is no sign of many writes.
    if (applied.isEmpty()) {
      return again(stored.flatMap(old -> sum).map(Sum::readTime));
    }
    Optional<Instant> newest = applied.get().version();
    Next then = newest.isPresent() ? Next.WRITTEN : Next.UNCHANGED;
    Optional<Change> made = applied.get().instead().or(() -> change);
    return step(
        new Cycle<>(policy, then, attempts, stored, none(), sum, made, none(), lostRaces, newest));
  }

  private Cycle<P> again(Optional<Instant> since) {
    int tried = attempts + 1;
    Next then = tried < policy.attempts() ? Next.READ : Next.GIVEN_UP;
    return step(
        new Cycle<>(policy, then, tried, none(), none(), none(), none(), since, lostRaces, none()));
  }

  private Cycle<P> step(Cycle<P> after) {
    return after.with(policy.after(this, after));
  }

  private Cycle<P> with(P other) {
    return new Cycle<>(
        other, next, attempts, stored, reading, sum, change, refusedSumTime, lostRaces, version);
  }

  /** The roll-up after WRITTEN; empty if it was removed, or its lease was. */
  Optional<Rollup> result() {
    return change.orElseThrow().applied(stored, version.orElseThrow());
  }
}
