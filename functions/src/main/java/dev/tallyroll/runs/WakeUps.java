package dev.tallyroll.runs;

import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
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
   * The same, once a second for each worker: wake-ups that come sooner wait and share the next
   * message. RollUp takes one message at a time, and many counters may become live at once.
   *
   * @param workers how many the receiver probably has; if it has more, some of the counters wait
   *     for its next scheduled run
   */
  static WakeUps shared(WakeUps each, int workers, EventLoop loop) {
    Coalescer<Integer, String> work =
        new Coalescer<>(
            (worker, liveId) -> each.wake(liveId).thenApply(none -> Duration.ofSeconds(1)),
            (first, later) -> first,
            loop);
    return liveId -> work.take(WorkerRange.workerOf(liveId, workers), liveId);
  }

  /**
   * As {@link #wake}, but logs a failure: a lease or an entry stands without it, and the next
   * scheduled run finds that.
   */
  default CompletableFuture<Void> wakeOrReport(String liveId, StructuredLog log) {
    return wake(liveId)
        .exceptionally(
            failure -> {
              log.write(
                  Severity.WARNING,
                  "wake-up not published; the next scheduled run takes over",
                  Map.of("cause", failure.toString()));
              return null;
            });
  }
}
