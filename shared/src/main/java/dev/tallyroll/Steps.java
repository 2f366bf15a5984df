package dev.tallyroll;

import com.google.api.core.ApiAsyncFunction;
import com.google.api.core.ApiFunction;
import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import java.util.concurrent.Executor;

/**
 * Steps that follow a Firestore call, on the thread that completes it: so no step may block.
 * Stateless.
 */
final class Steps {
  private static final Executor SAME_THREAD = Runnable::run;

  private Steps() {}

  static <A, B> ApiFuture<B> then(ApiFuture<A> call, ApiFunction<A, B> step) {
    return ApiFutures.transform(call, step, SAME_THREAD);
  }

  static <A, B> ApiFuture<B> thenCall(ApiFuture<A> call, ApiAsyncFunction<A, B> step) {
    return ApiFutures.transformAsync(call, step, SAME_THREAD);
  }

  static <A> ApiFuture<A> onFailure(ApiFuture<A> call, ApiAsyncFunction<Throwable, A> step) {
    return ApiFutures.catchingAsync(call, Throwable.class, step, SAME_THREAD);
  }
}
