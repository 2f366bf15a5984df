package dev.tallyroll.functions;

import dev.tallyroll.protocol.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs work on the event loop and waits for it: a function has no CPU after it has returned.
 *
 * <p>Safe for use by many threads.
 */
final class Blocking {
  private final EventLoop loop;
  private final Duration limit;

  Blocking(EventLoop loop, Duration limit) {
    this.loop = loop;
    this.limit = limit;
  }

  /**
   * @throws Exception what the work failed with; {@link TimeoutException} if it took too long
   */
  <T> T run(Supplier<CompletableFuture<T>> work) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.execute(() -> start(work, result));
    try {
      return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw interrupted;
    } catch (ExecutionException failure) {
      throw cause(failure);
    }
  }

  private static <T> void start(Supplier<CompletableFuture<T>> work, CompletableFuture<T> result) {
    try {
      var unused =
          work.get()
              .whenComplete(
                  (value, failure) -> {
                    if (failure == null) {
                      result.complete(value);
                    } else {
                      result.completeExceptionally(failure);
                    }
                  });
    } catch (RuntimeException failure) {
      result.completeExceptionally(failure);
    }
  }

  /** What the work itself threw, without the wrapping of futures. */
  private static Exception cause(Exception failure) {
    Throwable cause = failure;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof Exception exception ? exception : failure;
  }
}
