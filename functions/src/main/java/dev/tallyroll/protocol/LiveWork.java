package dev.tallyroll.protocol;

import java.util.concurrent.CompletableFuture;

/**
 * What a run does at each tick, for all that is live in its worker's part of the live list. Its
 * methods must be called on the event loop, where futures complete, too.
 */
public interface LiveWork {
  /** The part of the live list that it serves. */
  Part part();

  /** Whether nothing is live whose calls work. */
  boolean isIdle();

  /**
   * Whether any call for a live entry has worked: a run that achieves nothing wakes no successor.
   */
  boolean hasAchieved();

  /** It takes over from another run, which may go on until it hears of that. */
  void takeOver();

  /** Finds all that is live. */
  CompletableFuture<Void> fill();

  /** Finds what has become live since the last query, and begins to work on it. */
  CompletableFuture<Void> findNew();

  /** Works on all that is live. */
  void tick(long ticksMissed);

  /** Completes when nothing is under way any more; then reports the last of it. */
  CompletableFuture<Void> drained();
}
