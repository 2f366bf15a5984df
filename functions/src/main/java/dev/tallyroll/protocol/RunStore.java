package dev.tallyroll.protocol;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What the protocol needs of Firestore for its run documents, one per worker. Futures complete on
 * the protocol's event loop.
 */
public interface RunStore {

  /** Reads a worker's run document. Costs one document read. */
  CompletableFuture<RunState> read(int worker);

  /**
   * Takes a worker over, whoever holds it. Costs one write.
   *
   * @return the update time of the claim
   */
  CompletableFuture<Instant> claim(int worker, Claim claim);

  /**
   * Replaces a claim by a later one of the same holder. Costs one write.
   *
   * @return the new update time; empty if the document is not at version {@code expected} any more
   */
  CompletableFuture<Optional<Instant>> keep(int worker, Claim claim, Instant expected);

  /** Gives a worker up, if its document is still at version {@code expected}. Costs one delete. */
  CompletableFuture<Boolean> release(int worker, Instant expected);

  /**
   * Tells whoever holds a worker to look for counters that have become live. Costs one write.
   *
   * @return whether there is a document; without one there is nobody to tell
   */
  CompletableFuture<Boolean> poke(int worker);

  /** Calls {@code seen} on the event loop with each state there is. Costs one read a change. */
  Watch watch(int worker, Consumer<Sighting> seen);

  /** Says that a run is alive until a time, by Firestore's clock. */
  record Claim(String holder, Instant until) {}

  /** What a run document says, its version, and Firestore's time of the read. */
  record RunState(Optional<Claim> claim, Optional<Instant> updateTime, Instant readTime) {
    boolean isAlive() {
      return claim.map(held -> held.until().isAfter(readTime)).orElse(false);
    }
  }

  /** What a listener sees: who holds the worker, when the holder was last poked, the version. */
  record Sighting(String holder, Optional<Instant> poked, Instant updateTime) {}

  /** A listener that can be ended. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
