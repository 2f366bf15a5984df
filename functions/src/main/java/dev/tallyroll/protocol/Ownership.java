package dev.tallyroll.protocol;

import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.Sighting;
import dev.tallyroll.protocol.RunStore.Watch;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A run's hold on its worker's run document. Used on the event loop only.
 *
 * <p>Who holds it is a matter of cost, not of correctness: so a failure to keep the claim up is no
 * failure of the run.
 */
final class Ownership implements AutoCloseable {
  /** A version is refused when a poke comes between; several in a row are no concern of a run. */
  private static final int MAX_ATTEMPTS = 3;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RunStore store;
  private final int worker;
  private final String holder;
  private @Nullable Watch watch;
  private @Nullable Instant version;
  private Instant nextKeepUp = Instant.MIN;
  private Optional<Instant> poked = Optional.empty();
  private boolean lost;

  Ownership(RunStore store, int worker, String holder) {
    this.store = store;
    this.worker = worker;
    this.holder = holder;
  }

  /**
   * Takes the worker over from whoever has it. One that fails is made good by {@link #keepUp}: the
   * run goes on meanwhile, at worst beside another.
   *
   * @param onPoke called when a wake-up has come to another instance
   */
  CompletableFuture<Void> claim(Instant now, Instant serverTime, Runnable onPoke) {
    lost = false;
    return take(now, serverTime)
        .thenRun(
            () -> {
              if (watch == null) {
                watch = store.watch(worker, sighting -> see(sighting, onPoke));
              }
            });
  }

  /** A claim whose answer got lost may stand all the same: the document tells. */
  private CompletableFuture<Void> take(Instant now, Instant serverTime) {
    return store
        .claim(worker, claimAt(serverTime))
        .thenAccept(
            updateTime -> {
              version = updateTime;
              nextKeepUp = now.plus(RunSettings.KEEP_UP);
            })
        .exceptionallyCompose(failure -> isMine().thenAccept(mine -> {}))
        .exceptionally(failure -> null);
  }

  boolean isLost() {
    return lost;
  }

  /** Says that the run is alive, if it is time to. */
  void keepUp(Instant now, Instant serverTime) {
    if (now.isBefore(nextKeepUp)) {
      return;
    }
    nextKeepUp = now.plus(RunSettings.KEEP_UP);
    var unused =
        version == null
            ? take(now, serverTime)
            : keep(serverTime, MAX_ATTEMPTS).exceptionally(failure -> null);
  }

  private CompletableFuture<Void> keep(Instant serverTime, int attempts) {
    Instant expected = version;
    if (expected == null || lost || attempts == 0) {
      return DONE;
    }
    return store
        .keep(worker, claimAt(serverTime), expected)
        .thenCompose(
            kept -> {
              kept.ifPresent(this::adopt);
              return kept.isPresent()
                  ? DONE
                  : check().thenCompose(none -> keep(serverTime, attempts - 1));
            });
  }

  private void adopt(Instant updateTime) {
    if (version == null || updateTime.isAfter(version)) {
      version = updateTime;
    }
  }

  /** Refused: another run holds it, or a poke or a write of ours has changed the version. */
  private CompletableFuture<Void> check() {
    return isMine().thenAccept(mine -> lost |= !mine);
  }

  private CompletableFuture<Boolean> isMine() {
    return store
        .read(worker)
        .thenApply(
            state -> {
              boolean mine =
                  state.claim().map(claim -> claim.holder().equals(holder)).orElse(false);
              state.updateTime().filter(time -> mine).ifPresent(this::adopt);
              return mine;
            });
  }

  /** Gives the worker up, as well as it can; does nothing if another run has taken it. */
  CompletableFuture<Void> release() {
    return release(MAX_ATTEMPTS).thenRun(() -> version = null);
  }

  private CompletableFuture<Void> release(int attempts) {
    Instant expected = version;
    if (expected == null || lost || attempts == 0) {
      return DONE;
    }
    return store
        .release(worker, expected)
        .exceptionally(failure -> false)
        .thenCompose(
            released ->
                released
                    ? DONE
                    : check()
                        .exceptionally(failure -> null)
                        .thenCompose(none -> release(attempts - 1)));
  }

  /** What is older than the own claim is no news. */
  private void see(Sighting sighting, Runnable onPoke) {
    if (version == null || sighting.updateTime().isBefore(version)) {
      return;
    }
    if (!sighting.holder().equals(holder)) {
      lost = true;
      return;
    }
    adopt(sighting.updateTime());
    if (!sighting.poked().equals(poked)) {
      poked = sighting.poked();
      onPoke.run();
    }
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
