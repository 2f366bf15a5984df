package dev.tallyroll.protocol;

import java.util.concurrent.CompletableFuture;

/** Wakes rollers up. */
@FunctionalInterface
public interface WakeUps {
  /**
   * Asks for a run of the worker whose part of the live list holds an id, unless one is alive;
   * completes once the message is published. The receiver finds the worker, since it may have been
   * deployed with another number of workers.
   */
  CompletableFuture<Void> wake(String liveId);
}
