package dev.tallyroll.protocol;

import java.util.concurrent.CompletableFuture;

/** Wakes rollers up. */
@FunctionalInterface
public interface WakeUps {
  /**
   * Asks for a run of the worker whose part of the live list holds an id, unless one is alive;
   * completes once that is on its way. The receiver finds the worker: it may have been deployed
   * with another number of them.
   */
  CompletableFuture<Void> wake(String liveId);
}
