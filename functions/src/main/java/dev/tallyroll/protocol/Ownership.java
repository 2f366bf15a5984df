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
import org.jspecify.annotations.Nullable;

/**
 * A run's hold on its worker's run document: claimed at the start, kept up now and then, given up
 * at the end, and listened to for whoever else takes it or pokes it. Used on the event loop only.
 *
 * <p>Who holds it is a matter of cost, not of correctness: so no failure here is one of the run,
 * which goes on, at worst beside another.
 */
final class Ownership implements AutoCloseable {
  /** A version is refused when a poke comes between; several in a row are no concern of a run. */
  private static final int MAX_ATTEMPTS = 3;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RunStore store;
  private final Journal journal;
  private final int worker;
  private final String holder;
  private @Nullable Watch watch;
  private Optional<Instant> version = Optional.empty();
  private Optional<Instant> poked = Optional.empty();
  private Instant nextKeepUp = Instant.MIN;
  private boolean lost;

  Ownership(RunStore store, Journal journal, int worker, String holder) {
    this.store = store;
    this.journal = journal;
    this.worker = worker;
    this.holder = holder;
  }

  /**
   * Takes the worker over from whoever has it.
   *
   * @param onSuccession called if another run had it
   * @param onPoke called when a wake-up has come to another instance
   */
  CompletableFuture<Void> claim(
      Instant now, Instant serverTime, Runnable onSuccession, Runnable onPoke) {
    lost = false;
    nextKeepUp = now.plus(RunSettings.KEEP_UP);
    return take(claimAt(serverTime), onSuccession, MAX_ATTEMPTS)
        .exceptionally(failure -> null)
        .thenRun(
            () -> {
              if (watch == null) {
                watch = store.watch(worker, sighting -> see(sighting, onPoke));
              }
            });
  }

  private CompletableFuture<Void> take(Claim claim, Runnable onSuccession, int attempts) {
    if (attempts == 0) {
      return DONE;
    }
    return store
        .create(worker, claim)
        .thenCompose(
            created -> {
              if (created.isPresent()) {
                version = created;
                return DONE;
              }
              return store
                  .read(worker)
                  .thenCompose(state -> replace(state, claim, onSuccession))
                  .thenCompose(done -> done ? DONE : take(claim, onSuccession, attempts - 1));
            });
  }

  /** Whether there is nothing more to try. */
  private CompletableFuture<Boolean> replace(RunState state, Claim claim, Runnable onSuccession) {
    if (state.isForeign()) {
      journal.write(
          Severity.ERROR,
          "a document that is not a roller's is in the place of a run document, and is left alone:"
              + " remove it, or set RUNS_COLLECTION",
          Map.of(Journal.WORKER, worker));
      return CompletableFuture.completedFuture(true);
    }
    if (state.updateTime().isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    if (state.claim().filter(other -> !other.holder().equals(holder)).isPresent()) {
      onSuccession.run();
    }
    return store
        .replace(worker, claim, state.updateTime().get())
        .thenApply(
            replaced -> {
              version = replaced;
              return replaced.isPresent();
            });
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
    Claim claim = claimAt(serverTime);
    CompletableFuture<Void> kept =
        version
            .map(held -> store.replace(worker, claim, held))
            .orElseGet(() -> store.create(worker, claim))
            .thenAccept(applied -> applied.ifPresent(this::adopt));
    var unused = kept.exceptionally(failure -> null);
  }

  /** Gives the worker up, as well as it can; does nothing if another run has taken it. */
  CompletableFuture<Void> release() {
    return release(MAX_ATTEMPTS).thenRun(() -> version = Optional.empty());
  }

  private CompletableFuture<Void> release(int attempts) {
    if (version.isEmpty() || lost || attempts == 0) {
      return DONE;
    }
    return store
        .release(worker, version.get())
        .exceptionally(failure -> false)
        .thenCompose(
            released -> released ? DONE : look().thenCompose(none -> release(attempts - 1)));
  }

  /** Refused: another run holds it, or a poke or a write of ours has changed the version. */
  private CompletableFuture<Void> look() {
    return store
        .read(worker)
        .thenAccept(
            state -> {
              boolean mine = state.claim().filter(it -> it.holder().equals(holder)).isPresent();
              lost |= !mine;
              version = mine ? state.updateTime() : Optional.empty();
            })
        .exceptionally(failure -> null);
  }

  /** What is older than the own claim is no news. */
  private void see(Sighting sighting, Runnable onPoke) {
    boolean mine = sighting.holder().equals(holder);
    if (version.map(sighting.updateTime()::isBefore).orElse(!mine)) {
      return;
    }
    if (!mine) {
      lost = true;
      return;
    }
    adopt(sighting.updateTime());
    if (sighting.poked().isPresent() && !sighting.poked().equals(poked)) {
      poked = sighting.poked();
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
    Watch open = watch;
    watch = null;
    if (open != null) {
      open.close();
    }
  }
}
