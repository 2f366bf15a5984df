package dev.tallyroll.protocol;

import java.util.concurrent.CompletableFuture;

/** Wakes rollers up. */
@FunctionalInterface
public interface WakeUps {
  /** Asks for a run of a worker, unless one is alive; completes once that is on its way. */
  CompletableFuture<Void> wake(int worker);
}
