package dev.tallyroll.store;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.Failures;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * Brings a client's futures to the event loop, each with a time limit. Safe for use by many
 * threads.
 *
 * <p>The clients' own limits are a minute and more. A call that takes longer than ours is given up:
 * whether it was carried out is then unknown, as with any lost reply.
 *
 * @param service whose client it is, for messages
 */
public record Calls(String service, EventLoop loop) {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** The answers of a compare-and-set that was not carried out because the document has changed. */
  private static final Set<StatusCode.Code> REFUSED =
      EnumSet.of(
          StatusCode.Code.FAILED_PRECONDITION,
          StatusCode.Code.NOT_FOUND,
          StatusCode.Code.ALREADY_EXISTS,
          StatusCode.Code.ABORTED);

  /** Completes, as the call does, on the loop. */
  public <T> CompletableFuture<T> bring(ApiFuture<T> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    ApiFutures.addCallback(
        call,
        new ApiFutureCallback<>() {
          @Override
          public void onSuccess(T answer) {
            result.complete(answer);
          }

          @Override
          public void onFailure(Throwable failure) {
            result.completeExceptionally(failure);
          }
        },
        loop);
    var unused = loop.after(LIMIT).thenRun(() -> giveUp(result));
    return result;
  }

  /** Nearly every call has been answered by then, and a stack trace is dear. */
  private void giveUp(CompletableFuture<?> result) {
    if (!result.isDone()) {
      result.completeExceptionally(new TimeoutException(service + ": no answer within " + LIMIT));
    }
  }

  /** When it was written; empty if the write's precondition failed. */
  CompletableFuture<Optional<Instant>> compareAndSet(ApiFuture<WriteResult> write) {
    return bring(write)
        .thenApply(written -> Optional.of(Times.instant(written.getUpdateTime())))
        .exceptionallyCompose(
            failure ->
                REFUSED.contains(Failures.code(failure.getCause()))
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(failure));
  }
}
