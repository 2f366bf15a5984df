package dev.tallyroll.firestore;

import com.google.api.core.ApiAsyncFunction;
import com.google.api.core.ApiFunction;
import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Failures;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Steps that follow a Firestore call, on the thread that completes it: so no step may block.
 * Stateless.
 */
final class Steps {
  /** How many attempts concurrent changes may refuse; each attempt reads anew. */
  static final int MOST_ATTEMPTS = 5;

  private Steps() {}

  /** If the call throws, as with a closed client, the future fails. */
  static <A> ApiFuture<A> start(Supplier<ApiFuture<A>> call) {
    return thenCall(ApiFutures.immediateFuture(call), Supplier::get);
  }

  static <A, B> ApiFuture<B> then(ApiFuture<A> call, ApiFunction<A, B> step) {
    return ApiFutures.transform(call, step, Runnable::run);
  }

  static <A, B> ApiFuture<B> thenCall(ApiFuture<A> call, ApiAsyncFunction<A, B> step) {
    return ApiFutures.transformAsync(call, step, Runnable::run);
  }

  static <A> ApiFuture<A> onFailure(ApiFuture<A> call, ApiAsyncFunction<Throwable, A> step) {
    return ApiFutures.catchingAsync(call, Throwable.class, step, Runnable::run);
  }

  /** As {@link #onFailure}, for Firestore's answers with this code only. */
  static <A> ApiFuture<A> on(Code code, ApiFuture<A> call, Supplier<ApiFuture<A>> step) {
    return onFailure(
        call,
        failure ->
            Failures.code(failure) == code
                ? step.get()
                : ApiFutures.immediateFailedFuture(failure));
  }

  /** Results of the writes; empty if a document has changed since it was read. */
  static ApiFuture<Optional<List<WriteResult>>> commit(WriteBatch batch) {
    Supplier<ApiFuture<Optional<List<WriteResult>>>> refused =
        () -> ApiFutures.immediateFuture(Optional.empty());
    ApiFuture<Optional<List<WriteResult>>> written = then(batch.commit(), Optional::of);
    return on(Code.NOT_FOUND, on(Code.FAILED_PRECONDITION, written, refused), refused);
  }

  /** Runs attempts until one has a result; fails with {@link CounterException.Busy}. */
  static <T> ApiFuture<T> attempt(CounterPath counter, Supplier<ApiFuture<Optional<T>>> attempt) {
    return attempt(counter, attempt, MOST_ATTEMPTS);
  }

  private static <T> ApiFuture<T> attempt(
      CounterPath counter, Supplier<ApiFuture<Optional<T>>> attempt, int left) {
    if (left == 0) {
      return ApiFutures.immediateFailedFuture(
          new CounterException.Busy(
              counter, "one of " + MOST_ATTEMPTS + " attempts to find it as it had been read"));
    }
    return thenCall(
        attempt.get(),
        result ->
            result.isPresent()
                ? ApiFutures.immediateFuture(result.get())
                : attempt(counter, attempt, left - 1));
  }
}
