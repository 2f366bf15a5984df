package dev.tallyroll.runs;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes a call once more if it has failed, or has not brought what was wanted. */
final class Retry {
  private static final CompletableFuture<Void> NO_PAUSE = CompletableFuture.completedFuture(null);

  private Retry() {}

  /**
   * Makes a call until it does not fail.
   *
   * @param most how many times at most
   * @param call gets the number of attempts before
   * @param pause before another attempt
   * @return as the last attempt
   */
  static <T> CompletableFuture<T> untilItWorks(
      int most, IntFunction<CompletableFuture<T>> call, Supplier<CompletableFuture<Void>> pause) {
    return make(0, most, call, (answer, failure) -> failure != null, pause);
  }

  /** As {@link #untilItWorks}, without a pause, and also until its answer is true. */
  static CompletableFuture<Boolean> untilDone(int most, Supplier<CompletableFuture<Boolean>> call) {
    return make(
        0, most, before -> call.get(), (done, failure) -> done == null || !done, () -> NO_PAUSE);
  }

  private static <T> CompletableFuture<T> make(
      int before,
      int most,
      IntFunction<CompletableFuture<T>> call,
      BiPredicate<@Nullable T, @Nullable Throwable> again,
      Supplier<CompletableFuture<Void>> pause) {
    CompletableFuture<T> made = call.apply(before);
    return before + 1 == most
        ? made
        : made.handle(again::test)
            .thenCompose(
                more ->
                    more
                        ? pause
                            .get()
                            .thenCompose(none -> make(before + 1, most, call, again, pause))
                        : made);
  }
}
