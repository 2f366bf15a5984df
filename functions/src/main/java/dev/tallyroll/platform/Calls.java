package dev.tallyroll.platform;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Limiter;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Makes a limited number of a client's calls at a time, and brings their answers to the event loop,
 * where its methods must be called. The others wait here in their order, and not unseen in a
 * connection.
 *
 * <p>The client cancels a call at its time limit; as with any lost reply, it may have been carried
 * out or not.
 */
public final class Calls {
  /** The answers of a compare-and-set that was not carried out because the document has changed. */
  private static final Set<StatusCode.Code> REFUSED =
      EnumSet.of(
          StatusCode.Code.FAILED_PRECONDITION,
          StatusCode.Code.NOT_FOUND,
          StatusCode.Code.ALREADY_EXISTS,
          StatusCode.Code.ABORTED);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final EventLoop loop;
  private final int attempts;
  private final Limiter limiter;

  /**
   * Calls that are made once.
   *
   * @param most how many calls are under way at once
   */
  public Calls(EventLoop loop, int most) {
    this(loop, most, /* attempts= */ 1);
  }

  /**
   * @param attempts how often a call is made if Firestore cannot be reached: the connection of an
   *     instance that was frozen may be dead. If a compare-and-set was carried out, its second
   *     attempt is refused, as if another write had come between
   */
  public Calls(EventLoop loop, int most, int attempts) {
    this.loop = loop;
    this.attempts = attempts;
    this.limiter = new Limiter(most);
  }

  /** Calls on the same loop, as often attempted, that do not wait for these. */
  public Calls separate(int most) {
    return new Calls(loop, most, attempts);
  }

  public EventLoop loop() {
    return loop;
  }

  /** Completes, as the call does, on the loop. If the future is cancelled, so is the call. */
  public <T> CompletableFuture<T> make(Supplier<ApiFuture<T>> call) {
    return make(call, attempts);
  }

  private <T> CompletableFuture<T> make(Supplier<ApiFuture<T>> call, int left) {
    CompletableFuture<T> first = attempt(call);
    return cancelling(
        first.exceptionallyCompose(
            failure ->
                left > 1 && Failures.code(failure) == StatusCode.Code.UNAVAILABLE
                    ? make(call, left - 1)
                    : CompletableFuture.failedFuture(failure)),
        first);
  }

  /** Returns the first; once it is cancelled, the second is cancelled, too. */
  public static <T> CompletableFuture<T> cancelling(
      CompletableFuture<T> result, CompletableFuture<?> source) {
    var unused =
        result.whenComplete(
            (value, failure) -> {
              if (result.isCancelled()) {
                source.cancel(/* mayInterruptIfRunning= */ true);
              }
            });
    return result;
  }

  private <T> CompletableFuture<T> attempt(Supplier<ApiFuture<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    var unused = limiter.run(() -> start(call, result));
    return result;
  }

  private <T> CompletableFuture<Void> start(
      Supplier<ApiFuture<T>> call, CompletableFuture<T> result) {
    if (result.isDone()) { // cancelled while it waited
      return DONE;
    }
    CompletableFuture<Void> ended = new CompletableFuture<>();
    ApiFuture<T> begun = begin(call);
    var unused =
        result.whenComplete(
            (answer, failure) -> {
              if (result.isCancelled()) {
                begun.cancel(/* mayInterruptIfRunning= */ true);
              }
            });
    ApiFutures.addCallback(
        begun,
        new ApiFutureCallback<>() {
          @Override
          public void onSuccess(T answer) {
            ended.complete(null);
            result.complete(answer);
          }

          @Override
          public void onFailure(Throwable failure) {
            ended.complete(null);
            result.completeExceptionally(failure);
          }
        },
        loop);
    return ended;
  }

  private static <T> ApiFuture<T> begin(Supplier<ApiFuture<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException failure) {
      return ApiFutures.immediateFailedFuture(failure);
    }
  }

  /**
   * Results of the write; empty if its precondition failed. If the future is cancelled, so is the
   * call; as with any lost reply, it may have been carried out or not.
   */
  public <T> CompletableFuture<Optional<T>> compareAndSet(Supplier<ApiFuture<T>> write) {
    CompletableFuture<T> call = make(write);
    return cancelling(
        call.thenApply(Optional::of)
            .exceptionallyCompose(
                failure ->
                    REFUSED.contains(Failures.code(failure.getCause()))
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure)),
        call);
  }
}
