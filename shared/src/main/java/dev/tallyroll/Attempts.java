package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Repeats what was refused because a document was not any more as it had been read, a bounded
 * number of times. Each attempt reads afresh. Stateless.
 */
final class Attempts {
  static final int MOST = 5;

  private static final Set<StatusCode.Code> REFUSED =
      EnumSet.of(StatusCode.Code.FAILED_PRECONDITION, StatusCode.Code.NOT_FOUND);

  private Attempts() {}

  /**
   * Runs attempts until one has a result; fails with {@link CounterBusyException} after the last.
   */
  static <T> ApiFuture<T> run(CounterPath counter, Supplier<ApiFuture<Optional<T>>> attempt) {
    return run(counter, attempt, MOST);
  }

  /** As {@link #run}; each attempt is given the counter's document as it is then. */
  static <T> ApiFuture<T> onHead(
      CounterDocuments documents, Function<CounterHead, ApiFuture<Optional<T>>> attempt) {
    return run(
        documents.counter(), () -> Steps.thenCall(CounterHead.read(documents), attempt::apply));
  }

  /** As {@link #onHead}; each attempt is also given all shards, read after the document. */
  static <T> ApiFuture<T> onShards(
      CounterDocuments documents,
      BiFunction<CounterHead, ShardList, ApiFuture<Optional<T>>> attempt) {
    return onHead(
        documents,
        head -> Steps.thenCall(ShardList.read(documents), list -> attempt.apply(head, list)));
  }

  private static <T> ApiFuture<T> run(
      CounterPath counter, Supplier<ApiFuture<Optional<T>>> attempt, int left) {
    if (left == 0) {
      return ApiFutures.immediateFailedFuture(
          new CounterBusyException(
              counter, "one of " + MOST + " attempts to find it as it had just been read"));
    }
    return Steps.thenCall(
        attempt.get(),
        result ->
            result.isPresent()
                ? ApiFutures.immediateFuture(result.get())
                : run(counter, attempt, left - 1));
  }

  /** What was written; empty if the batch was refused. */
  static ApiFuture<Optional<List<WriteResult>>> commit(WriteBatch batch) {
    return Steps.onFailure(
        Steps.then(batch.commit(), Optional::of),
        failure ->
            isRefusal(failure)
                ? ApiFutures.immediateFuture(Optional.empty())
                : ApiFutures.immediateFailedFuture(failure));
  }

  static boolean isRefusal(Throwable failure) {
    return REFUSED.contains(Failures.code(failure));
  }
}
