package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.Place;
import dev.tallyroll.protocol.RunStore.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A run's hold on its run document: claimed at the start, looked at and kept up while it goes on,
 * given up at the end. One call at a time.
 *
 * <p>Who holds it is a matter of cost, not of correctness: a claim that fails, or finds somebody
 * else's document in its place, does not keep a run from its work, at worst beside another.
 */
final class Ownership {
  /** Refused so often, by others that came between, a run leaves it to one of them. */
  private static final int MAX_ATTEMPTS = 5;

  private static final CompletableFuture<Boolean> NOTHING_TO_DO =
      CompletableFuture.completedFuture(true);

  private final RunStore store;
  private final Journal journal;
  private final String job;
  private final Duration alive; // by each claim
  private final String holder;
  private boolean lost;
  private boolean reported;

  Ownership(RunStore store, Journal journal, String job, Duration alive) {
    this.store = store;
    this.journal = journal;
    this.job = job;
    this.alive = alive;
    this.holder = store.newHolder();
  }

  /** Whether another run has it. */
  boolean isLost() {
    return lost;
  }

  /**
   * Takes the job over: from whoever has it, or only if nobody alive has.
   *
   * @param onSuccession is told what another run has left, if one had it
   * @return whether this run goes on
   */
  CompletableFuture<Boolean> claim(boolean takesOver, Consumer<Claim> onSuccession) {
    return change(
            state -> {
              Optional<Claim> other = state.claim().filter(claim -> !isMine(claim));
              lost = other.isPresent() && state.isAlive() && !takesOver;
              if (lost) {
                return NOTHING_TO_DO;
              }
              other.ifPresent(onSuccession);
              return write(state, alive, other.flatMap(Claim::place));
            },
            MAX_ATTEMPTS)
        .thenApply(done -> !(lost |= !done));
  }

  /**
   * Looks whether another run has taken over; if not, stores how far this one has come, and that it
   * is alive for so long, when that is news or half of that time is over.
   */
  CompletableFuture<Void> keep(Duration forTime, Optional<Place> place) {
    return store
        .read(job)
        .thenCompose(
            state -> {
              lost |= state.claim().filter(claim -> !isMine(claim)).isPresent();
              Instant due = state.readTime().plus(forTime.dividedBy(2));
              boolean kept = state.claim().filter(claim -> claim.until().isAfter(due)).isPresent();
              // If that is refused, the next look tells why.
              return lost || (kept && place.isEmpty())
                  ? NOTHING_TO_DO
                  : write(state, forTime, place);
            })
        .thenAccept(done -> {});
  }

  /** Gives the job up, as well as it can; does nothing if another run has it. */
  CompletableFuture<Void> release() {
    return change(
            state ->
                state.claim().filter(this::isMine).isPresent()
                    ? store.release(job, state.updateTime().orElseThrow())
                    : NOTHING_TO_DO,
            MAX_ATTEMPTS)
        .thenAccept(done -> {});
  }

  /**
   * Reads the document and changes what was read; again if somebody else has come between, or if it
   * has failed.
   *
   * @return whether nobody has come between, the last time
   */
  private CompletableFuture<Boolean> change(
      Function<RunState, CompletableFuture<Boolean>> change, int attempts) {
    return store
        .read(job)
        .thenCompose(change)
        .exceptionally(failure -> attempts == 1)
        .thenCompose(
            done ->
                done || attempts == 1
                    ? CompletableFuture.completedFuture(done)
                    : change(change, attempts - 1));
  }

  private CompletableFuture<Boolean> write(
      RunState state, Duration forTime, Optional<Place> place) {
    if (state.isForeign()) {
      reportForeign();
      return NOTHING_TO_DO;
    }
    Claim claim = new Claim(holder, state.readTime().plus(forTime), place);
    return store.claim(job, claim, state.updateTime());
  }

  private void reportForeign() {
    if (!reported) {
      reported = true;
      journal.write(
          Severity.ERROR,
          "a document that is not ours is in the place of a run document, and is left alone: remove"
              + " it, or set RUNS_COLLECTION",
          Map.of("job", job));
    }
  }

  private boolean isMine(Claim claim) {
    return claim.holder().equals(holder);
  }
}
