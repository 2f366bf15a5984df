package dev.tallyroll.local;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * What has to be closed, last in, first out, once, whoever asks and however far the start has come.
 * What is added after the close is closed at once. Thread-safe.
 */
final class Closing {
  private final ArrayDeque<Runnable> parts = new ArrayDeque<>();
  private final Consumer<String> log;
  private boolean closed;

  Closing(Consumer<String> log) {
    this.log = log;
  }

  void add(Runnable close) {
    synchronized (this) {
      if (!closed) {
        parts.addLast(close);
        return;
      }
    }
    close.run();
    throw new LocalCloudException("the local cloud was closed while it started");
  }

  /**
   * Closes everything, also what comes after a part that fails to close. Returns when all is
   * closed.
   */
  synchronized void close() {
    closed = true;
    while (!parts.isEmpty()) {
      try {
        parts.removeLast().run();
      } catch (RuntimeException e) {
        log.accept("could not close a part of the local cloud: " + e.getMessage());
      }
    }
  }
}
