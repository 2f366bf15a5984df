package dev.tallyroll.runs;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Runs everything that the protocol does, one step at a time, on one thread.
 *
 * <p>The production loop is a single thread; a simulation's is a seeded scheduler on virtual time.
 */
public interface EventLoop extends Executor, InstantSource {

  /** How long the loop has been there, by a clock that never jumps. */
  Duration uptime();

  /** Completes on this loop once {@code delay} has passed; at once if it is not positive. */
  CompletableFuture<Void> after(Duration delay);

  /**
   * Draws between half of a duration and the whole, so that many who wait do not return together.
   */
  Duration jitter(Duration most);

  /** Draws a name that nobody else has. */
  String newName();
}
