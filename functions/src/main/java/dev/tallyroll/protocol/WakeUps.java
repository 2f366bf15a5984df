package dev.tallyroll.protocol;

import java.util.concurrent.CompletableFuture;

/** Wakes rollers up. */
@FunctionalInterface
public interface WakeUps {
  /** Asks for a run of the worker that owns {@code lane}; completes once that is on its way. */
  CompletableFuture<Void> wake(int lane);
}
