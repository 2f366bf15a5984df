package dev.tallyroll.protocol;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * One thread's worth of work: everything the protocol does runs on it, one step at a time.
 *
 * <p>The production loop is a single thread; a simulation's is a seeded scheduler on virtual time.
 */
public interface EventLoop extends Executor, InstantSource {

  /** Completes on this loop once {@code delay} has passed; at once for none or less. */
  CompletableFuture<Void> after(Duration delay);

  /** Draws between half of a duration and the whole, so that many who wait do not come at once. */
  Duration jitter(Duration most);
}
