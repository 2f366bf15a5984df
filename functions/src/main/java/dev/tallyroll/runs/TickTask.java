package dev.tallyroll.runs;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * What a run does at its ticks for the live counters, or documents, in its worker's part of the
 * live list; or for all counters of an entry whose writes make no events. Its methods must be
 * called on the event loop, where futures complete, too.
 */
public interface TickTask {
  /** The part of the live list that it serves. */
  WorkerRange range();

  /** Whether nothing is live, or every live entry keeps failing. */
  boolean isIdle();

  /**
   * Whether something is under way, or is due before the next scheduled run, so that a run does not
   * end.
   */
  boolean keepsAlive();

  /** When something is due next; {@link Instant#MAX} if nothing is. */
  Instant nextTick(Instant now);

  /** Whether any call for a live entry has succeeded. If not, the run wakes no successor. */
  boolean hasSucceeded();

  /** Notes that this run takes over from another one, which may go on until it learns of that. */
  void takeOver();

  /** Finds all that is live. */
  CompletableFuture<Void> fill();

  /** Finds what has become live since the last query, and begins to work on it. */
  CompletableFuture<Void> findNew();

  /** Works on all that is live. */
  void begin();

  /** Works on what is due at a tick. */
  void tick(Instant due);

  /** Completes when the work of the last tick has ended. */
  CompletableFuture<Void> worked();

  /** Completes when nothing is under way any more, and then reports the last work. */
  CompletableFuture<Void> drained();
}
