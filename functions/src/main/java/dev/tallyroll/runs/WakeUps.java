package dev.tallyroll.runs;

import dev.tallyroll.runs.Journal.Severity;
import java.util.Map;
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

  /**
   * As {@link #wake}, but logs a failure: a lease or an entry stands without it, and the next
   * scheduled run finds that.
   */
  default CompletableFuture<Void> wakeOrReport(String liveId, Journal journal) {
    return wake(liveId)
        .exceptionally(
            failure -> {
              journal.write(
                  Severity.WARNING,
                  "wake-up not published; the next scheduled run takes over",
                  Map.of("cause", failure.toString()));
              return null;
            });
  }
}
