package dev.tallyroll.store;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import dev.tallyroll.Failures;
import dev.tallyroll.protocol.EventLoop;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * Brings the client's futures to the event loop, each with a time limit.
 *
 * <p>The client's own limits are a minute and more. A call that takes longer than ours is given up:
 * whether it was carried out is then unknown, as with any lost reply.
 */
final class Calls {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** The answers of a compare-and-set that was not carried out because the document has changed. */
  private static final Set<StatusCode.Code> REFUSED =
      EnumSet.of(
          StatusCode.Code.FAILED_PRECONDITION,
          StatusCode.Code.NOT_FOUND,
          StatusCode.Code.ALREADY_EXISTS,
          StatusCode.Code.ABORTED);

  private final EventLoop loop;

  Calls(EventLoop loop) {
    this.loop = loop;
  }

  <T> CompletableFuture<T> bring(ApiFuture<T> call) {
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
    var unused =
        loop.after(LIMIT)
            .thenRun(
                () ->
                    result.completeExceptionally(
                        new TimeoutException("Firestore: no answer within " + LIMIT)));
    return result;
  }

  /** As {@link #bring}, with an empty result if the write's precondition failed. */
  <T> CompletableFuture<Optional<T>> compareAndSet(ApiFuture<T> call) {
    CompletableFuture<Optional<T>> result = new CompletableFuture<>();
    var unused =
        bring(call)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    result.complete(Optional.of(answer));
                  } else if (REFUSED.contains(Failures.code(failure))) {
                    result.complete(Optional.empty());
                  } else {
                    result.completeExceptionally(failure);
                  }
                });
    return result;
  }
}
