package dev.tallyroll.protocol;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.LiveList;
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
 * A run's hold on its run document: claimed at the start, kept up while it goes on, given up at the
 * end. One call at a time.
 *
 * <p>Who holds it is a matter of cost, not of correctness: a claim that fails, or finds somebody
 * else's document in its place, does not keep a run from its work, at worst beside another.
 */
final class Ownership {
  /** After so many refusals, a run leaves the job to one of the others. */
  private static final int MAX_ATTEMPTS = 5;

  private static final CompletableFuture<Boolean> NOTHING_TO_DO =
      CompletableFuture.completedFuture(true);

  private final RunStore store;
  private final Journal journal;
  private final String job;
  private final Duration alive; // by each claim
  private final String holder;
  private Optional<RunState> known = Optional.empty(); // while this run has it
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

  /** Takes note of another run that has taken over; else keeps its claim up in good time. */
  CompletableFuture<Void> heed(LiveList found) {
    lost |= !found.holders().getOrDefault(Layout.runId(job), holder).equals(holder);
    return lost || lasts(found.readTime())
        ? CompletableFuture.completedFuture(null)
        : keep(alive, Optional.empty());
  }

  private boolean lasts(Instant now) {
    Instant soon = now.plus(alive.dividedBy(3));
    return known.flatMap(RunState::claim).filter(it -> it.until().isAfter(soon)).isPresent();
  }

  /**
   * Looks whether another run has taken over; if not, stores how far this one has come, and that it
   * is alive for so long, when that is news or little of that time is left.
   */
  CompletableFuture<Void> keep(Duration forTime, Optional<Place> place) {
    return store
        .read(job)
        .thenCompose(
            state -> {
              known = state.claim().filter(this::isMine).map(mine -> state);
              lost |= state.claim().isPresent() && known.isEmpty();
              // If that is refused, the next look tells why.
              return lost || (lasts(state.readTime()) && place.isEmpty())
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
   * Changes the document as it is known, else as it is read; again if somebody else has come
   * between, or if it has failed.
   *
   * @return whether nobody has come between, the last time
   */
  private CompletableFuture<Boolean> change(
      Function<RunState, CompletableFuture<Boolean>> change, int attempts) {
    var state = known.map(CompletableFuture::completedFuture).orElseGet(() -> store.read(job));
    known = Optional.empty();
    return state
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
    Instant now = state.readTime();
    Optional<Claim> claim = Optional.of(new Claim(holder, now.plus(forTime), place));
    return store
        .claim(job, claim.get(), state.updateTime())
        .thenApply(
            version -> {
              known = version.map(it -> new RunState(claim, version, false, now));
              return version.isPresent();
            });
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
