package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.RunState;
import dev.tallyroll.protocol.RunStore.Sighting;
import dev.tallyroll.protocol.RunStore.Watch;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run's hold on its worker's run document: claimed at the start, kept up now and then, given up
 * at the end, and listened to for whoever else claims it or pokes it. Used on the event loop only.
 *
 * <p>Who holds it is a matter of cost, not of correctness: so no failure here is one of the run,
 * which goes on, at worst beside another.
 */
final class Ownership implements AutoCloseable {
  /** Refused so often, by claims and pokes that come between, a run leaves it to another. */
  private static final int MAX_ATTEMPTS = 5;

  private static final CompletableFuture<Boolean> NOTHING_TO_DO =
      CompletableFuture.completedFuture(true);

  private final RunStore store;
  private final Journal journal;
  private final int worker;
  private final String holder;
  private @Nullable Watch watch;
  private Optional<Instant> version = Optional.empty();
  private Instant nextKeepUp = Instant.MIN;
  private boolean lost;

  Ownership(RunStore store, Journal journal, int worker) {
    this.store = store;
    this.journal = journal;
    this.worker = worker;
    this.holder = store.newHolder();
  }

  /**
   * Takes the worker over from whoever has it.
   *
   * @param onSuccession called if another run had it
   * @param onPoke called when a wake-up has come to another instance
   */
  CompletableFuture<Void> claim(
      Instant now, Instant serverTime, Runnable onSuccession, Runnable onPoke) {
    nextKeepUp = now.plus(RunSettings.KEEP_UP);
    return store
        .claim(worker, claimAt(serverTime), Optional.empty())
        .thenApply(this::hold)
        .exceptionally(failure -> false)
        .thenCompose(
            held ->
                held
                    ? NOTHING_TO_DO
                    : change(state -> claim(state, serverTime, onSuccession), MAX_ATTEMPTS))
        .thenAccept(
            done -> {
              lost = !done; // each time, some other run has come between
              if (watch == null) {
                watch = store.watch(worker, sighting -> see(sighting, onPoke));
              }
            });
  }

  private CompletableFuture<Boolean> claim(
      RunState state, Instant serverTime, Runnable onSuccession) {
    if (state.isForeign()) {
      journal.write(
          Severity.ERROR,
          "a document that is not a roller's is in the place of a run document, and is left alone:"
              + " remove it, or set RUNS_COLLECTION",
          Map.of(Journal.WORKER, worker));
      return NOTHING_TO_DO;
    }
    if (state.claim().isPresent() && !isMine(state)) {
      onSuccession.run();
    }
    return store.claim(worker, claimAt(serverTime), state.updateTime()).thenApply(this::hold);
  }

  private boolean hold(Optional<Instant> claimed) {
    version = claimed;
    return claimed.isPresent();
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
        .read(worker)
        .thenCompose(change)
        .exceptionally(failure -> attempts == 1)
        .thenCompose(
            done ->
                done || attempts == 1
                    ? CompletableFuture.completedFuture(done)
                    : change(change, attempts - 1));
  }

  boolean isLost() {
    return lost;
  }

  /**
   * Says that the run is alive, if it is time to. If that is refused, somebody else has written the
   * document, and the listener tells what.
   */
  void keepUp(Instant now, Instant serverTime) {
    if (now.isBefore(nextKeepUp)) {
      return;
    }
    nextKeepUp = now.plus(RunSettings.KEEP_UP);
    var unused =
        store
            .claim(worker, claimAt(serverTime), version)
            .thenAccept(claimed -> claimed.ifPresent(this::adopt))
            .exceptionally(failure -> null);
  }

  /** Gives the worker up, as well as it can; does nothing if another run has taken it. */
  CompletableFuture<Void> release() {
    return change(this::release, MAX_ATTEMPTS).thenRun(() -> version = Optional.empty());
  }

  private CompletableFuture<Boolean> release(RunState state) {
    return isMine(state) ? store.release(worker, state.updateTime().orElseThrow()) : NOTHING_TO_DO;
  }

  private boolean isMine(RunState state) {
    return state.claim().filter(claim -> claim.holder().equals(holder)).isPresent();
  }

  /** What is not newer than the own claim is no news. */
  private void see(Sighting sighting, Runnable onPoke) {
    boolean mine = sighting.holder().equals(holder);
    if (version.map(held -> !sighting.updateTime().isAfter(held)).orElse(!mine)) {
      return;
    }
    if (!mine) {
      lost = true;
      return;
    }
    adopt(sighting.updateTime());
    if (sighting.poked()) {
      onPoke.run();
    }
  }

  private void adopt(Instant updateTime) {
    version = version.filter(updateTime::isBefore).or(() -> Optional.of(updateTime));
  }

  private Claim claimAt(Instant serverTime) {
    return new Claim(holder, serverTime.plus(RunSettings.ALIVE));
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
      watch = null;
    }
  }
}
