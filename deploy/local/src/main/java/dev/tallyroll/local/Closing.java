package dev.tallyroll.local;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Closes the parts of a cloud once, in the reverse order of their start. It may do so while the
 * cloud still starts, and it does so when this JVM ends by itself or by a signal. A part that is
 * added after the close is closed at once. Thread-safe.
 */
final class Closing {
  private final ArrayDeque<Runnable> parts = new ArrayDeque<>();
  private final Consumer<String> log;
  private final Thread hook = new Thread(this::shutDown, "close-local-cloud");
  private boolean closed;

  /** Logs a line for each part that cannot be closed. */
  Closing(Consumer<String> log) {
    this.log = log;
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      throw new LocalCloudException("this JVM is shutting down, so no local cloud starts", e);
    }
  }

  /** Closes when the JVM ends. Other threads then lose connections; their errors are hidden. */
  private void shutDown() {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {});
    close();
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

  /** Closes all parts, also after one of them has failed to close. Returns when all are closed. */
  synchronized void close() {
    closed = true;
    while (!parts.isEmpty()) {
      try {
        parts.removeLast().run();
      } catch (RuntimeException e) {
        log.accept("could not close a part of the local cloud: " + e.getMessage());
      }
    }
    forgetHook();
  }

  private void forgetHook() {
    if (Thread.currentThread() == hook) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, and the hook finds nothing left to close.
    }
  }
}
