package dev.tallyroll.protocol;

import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.Watch;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A run's hold on its worker's run document. Used on the event loop only.
 *
 * <p>Who holds it is a matter of cost, not of correctness: so a failure to keep the claim up is no
 * failure of the run.
 */
final class Ownership implements AutoCloseable {
  private final RunStore store;
  private final int worker;
  private final String holder;
  private @Nullable Watch watch;
  private @Nullable Instant version;
  private Instant nextKeepUp = Instant.MIN;
  private boolean lost;

  Ownership(RunStore store, int worker, String holder) {
    this.store = store;
    this.worker = worker;
    this.holder = holder;
  }

  /** Takes the worker over from whoever has it. */
  CompletableFuture<Void> claim(Instant serverTime) {
    return store
        .claim(worker, claimAt(serverTime))
        .thenAccept(
            updateTime -> {
              version = updateTime;
              if (watch == null) {
                watch = store.watch(worker, this::see);
              }
            });
  }

  boolean isLost() {
    return lost;
  }

  /** Says that the run is alive, if it is time to. */
  void keepUp(Instant now, Instant serverTime) {
    Instant expected = version;
    if (now.isBefore(nextKeepUp) || expected == null) {
      return;
    }
    nextKeepUp = now.plus(RunSettings.KEEP_UP);
    var unused =
        store
            .keep(worker, claimAt(serverTime), expected)
            .thenCompose(kept -> kept.isPresent() ? adopt(kept.get()) : check())
            .exceptionally(failure -> null);
  }

  private CompletableFuture<Void> adopt(Instant updateTime) {
    version = updateTime;
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Refused: another run holds it, or our own last write got through although its reply did not.
   */
  private CompletableFuture<Void> check() {
    return store
        .read(worker)
        .thenAccept(
            state -> {
              boolean mine =
                  state.claim().map(claim -> claim.holder().equals(holder)).orElse(false);
              lost |= !mine;
              version = mine ? state.updateTime().orElse(version) : version;
            });
  }

  /** Gives the worker up; does nothing if another run has taken it. */
  CompletableFuture<Void> release() {
    Instant expected = version;
    version = null;
    if (expected == null || lost) {
      return CompletableFuture.completedFuture(null);
    }
    return store.release(worker, expected).thenAccept(released -> {});
  }

  private void see(String other) {
    lost |= !other.equals(holder);
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
