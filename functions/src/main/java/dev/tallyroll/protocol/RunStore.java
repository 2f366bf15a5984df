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

  /** Gives a name that no other run has. */
  String newHolder();

  /**
   * Claims a worker, for whoever has it now, and takes pokes for seen. Costs one write.
   *
   * @param expected the document's version; empty if there is none
   * @return the new update time; empty if the document is not at that version any more
   */
  CompletableFuture<Optional<Instant>> claim(int worker, Claim claim, Optional<Instant> expected);

  /** Gives a worker up, if its document is still at version {@code expected}. Costs one delete. */
  CompletableFuture<Boolean> release(int worker, Instant expected);

  /**
   * Tells whoever holds a worker to look for counters that have become live. Costs one write.
   *
   * @return whether the document was at version {@code expected}; else nobody has been told
   */
  CompletableFuture<Boolean> poke(int worker, Instant expected);

  /** Calls {@code seen} on the event loop with each state there is. Costs one read a change. */
  Watch watch(int worker, Consumer<Sighting> seen);

  /** Says that a run is alive until a time, by Firestore's clock. */
  record Claim(String holder, Instant until) {}

  /**
   * What is in a run document's place.
   *
   * @param claim who holds the worker; empty if nobody does
   * @param updateTime the document's version; empty if there is none
   * @param isForeign whether it is somebody else's document
   * @param readTime Firestore's time of the read
   */
  record RunState(
      Optional<Claim> claim, Optional<Instant> updateTime, boolean isForeign, Instant readTime) {
    boolean isAlive() {
      return claim.map(held -> held.until().isAfter(readTime)).orElse(false);
    }
  }

  /**
   * What a listener sees: who holds the worker, whether somebody has poked it since, the version.
   */
  record Sighting(String holder, boolean poked, Instant updateTime) {}

  /** A listener that can be ended. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
