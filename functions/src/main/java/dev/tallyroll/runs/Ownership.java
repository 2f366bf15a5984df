package dev.tallyroll.runs;

import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.RunState;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A run's claim of its run document: the run claims it at the start, renews the claim while it goes
 * on, and releases it at the end. Calls run one after the other.
 *
 * <p>A claim saves cost, and no total depends on it: if it fails, or finds a foreign document in
 * its place, the run works nevertheless, at worst beside another.
 */
final class Ownership {
  /** How many refusals make a run leave the job to another run. */
  private static final int MAX_ATTEMPTS = 5;

  private static final CompletableFuture<Boolean> SUCCESS = CompletableFuture.completedFuture(true);

  private final RunStore store;
  private final StructuredLog log;
  private final String job;
  private final Duration alive; // by each claim
  private final String holder;
  private Optional<RunState> known = Optional.empty(); // while this run has it
  private CompletableFuture<?> underWay = SUCCESS;
  private boolean lost;
  private boolean foreign; // and reported

  Ownership(RunStore store, StructuredLog log, String job, Duration alive) {
    this.store = store;
    this.log = log;
    this.job = job;
    this.alive = alive;
    this.holder = store.newHolder();
  }

  /** Whether another run holds it. */
  boolean isLost() {
    return lost;
  }

  /** Whether a document that is not ours was in the place, so that no run knows of another. */
  boolean isForeign() {
    return foreign;
  }

  /** Whether no call is under way. */
  boolean isIdle() {
    return underWay.isDone();
  }

  /**
   * Claims the job: from any holder, or only if no run that is alive holds it.
   *
   * @param onTakeOver gets the state that another run has left, if one held the job
   * @return whether this run goes on
   */
  CompletableFuture<Boolean> claim(boolean takesOver, Consumer<RunState> onTakeOver) {
    return next(
        () ->
            change(
                    state -> {
                      boolean others = state.claim().filter(claim -> !isMine(claim)).isPresent();
                      lost = others && state.isAlive() && !takesOver;
                      if (lost) {
                        return SUCCESS;
                      }
                      if (others) {
                        onTakeOver.accept(state);
                      }
                      return write(state, alive, Optional.empty());
                    })
                .thenApply(
                    done -> {
                      lost = lost || !done;
                      return !lost;
                    }));
  }

  private <T> CompletableFuture<T> next(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> made =
        underWay.handle((done, failure) -> null).thenCompose(none -> call.get());
    underWay = made;
    return made;
  }

  /** Checks whether another run has taken over; if not, renews the claim in time. */
  CompletableFuture<Void> keep() {
    return renew(alive, Optional.empty());
  }

  /**
   * Checks whether another run has taken over. If not, it stores how far this run has come, and
   * that it is alive for this time, if the place is new or little of the time is left. Costs one
   * read, and one write if it stores.
   */
  CompletableFuture<Void> renew(Duration forTime, Optional<Place> place) {
    return next(
        () ->
            store
                .read(job)
                .thenCompose(
                    state -> {
                      known = state.claim().filter(this::isMine).map(mine -> state);
                      lost = lost || (state.claim().isPresent() && known.isEmpty());
                      // If this is refused, the next read tells why.
                      return lost || (lasts(state) && place.isEmpty())
                          ? SUCCESS
                          : write(state, forTime, place);
                    })
                .thenAccept(done -> {}));
  }

  private boolean lasts(RunState state) {
    Instant soon = state.readTime().plus(alive.dividedBy(3));
    return known.flatMap(RunState::claim).filter(claim -> claim.until().isAfter(soon)).isPresent();
  }

  /** Tries to release the job; does nothing if another run holds it. */
  CompletableFuture<Void> release() {
    return next(
        () ->
            change(
                    state ->
                        state.claim().filter(this::isMine).isPresent()
                            ? store.release(job, state.updateTime().orElseThrow())
                            : SUCCESS)
                .thenAccept(done -> {}));
  }

  /**
   * Changes the document at the known version, or reads it first. Tries again if the write is
   * refused or fails.
   *
   * @return whether the last attempt was not refused
   */
  private CompletableFuture<Boolean> change(Function<RunState, CompletableFuture<Boolean>> change) {
    return Retry.untilDone(MAX_ATTEMPTS, () -> known().thenCompose(change))
        .exceptionally(failure -> true);
  }

  private CompletableFuture<RunState> known() {
    var state = known.map(CompletableFuture::completedFuture).orElseGet(() -> store.read(job));
    known = Optional.empty();
    return state;
  }

  private CompletableFuture<Boolean> write(
      RunState state, Duration forTime, Optional<Place> place) {
    if (state.isForeign()) {
      reportForeign();
      return SUCCESS;
    }
    Instant now = state.readTime();
    Claim claim = new Claim(holder, now.plus(forTime));
    return store
        .claim(job, claim, place, state.updateTime())
        .thenApply(
            version -> {
              known =
                  version.map(
                      unused ->
                          new RunState(
                              Optional.of(claim), place, version, /* isForeign= */ false, now));
              return version.isPresent();
            });
  }

  private void reportForeign() {
    if (!foreign) {
      foreign = true;
      log.write(
          Severity.ERROR,
          "a document that is not ours is in the place of a run document, and is left alone: remove"
              + " it, or take another NAME",
          Map.of("job", job));
    }
  }

  private boolean isMine(Claim claim) {
    return claim.holder().equals(holder);
  }
}
