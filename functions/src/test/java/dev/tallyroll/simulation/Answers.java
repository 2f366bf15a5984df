package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import dev.tallyroll.CounterException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** How users of the client library wait for their calls, and try again, on the virtual clock. */
final class Answers {
  private static final int MAX_TRIES = 40;
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final VirtualTime time;
  private final Faults faults;

  Answers(VirtualTime time, Faults faults) {
    this.time = time;
    this.faults = faults;
  }

  /** Goes on whether the call succeeds or not. */
  <T> void hear(ApiFuture<T> call, Consumer<T> heard, Runnable then) {
    listen(
        call,
        answer -> {
          heard.accept(answer);
          then.run();
        },
        failure -> then.run());
  }

  /** Tries until the call succeeds. */
  <T> void insist(Supplier<ApiFuture<T>> call, Consumer<T> then) {
    insist(
        call,
        MAX_TRIES,
        then,
        () -> {
          throw new AssertionError("no success in " + MAX_TRIES + " tries");
        });
  }

  /** Tries again after each failure, as callers are told to. */
  <T> void insist(Supplier<ApiFuture<T>> call, int tries, Consumer<T> then, Runnable otherwise) {
    listen(
        call.get(),
        then,
        failure -> {
          if (failure instanceof CounterException.Exists) {
            then.accept(null);
          } else if (tries == 0) {
            otherwise.run();
          } else {
            time.after(faults.upTo(LONGEST_PAUSE), () -> insist(call, tries - 1, then, otherwise));
          }
        });
  }

  <T> void listen(ApiFuture<T> call, Consumer<T> heard, Consumer<Throwable> failed) {
    ApiFutures.addCallback(
        call,
        new ApiFutureCallback<T>() {
          @Override
          public void onSuccess(T answer) {
            time.after(Duration.ZERO, () -> heard.accept(answer));
          }

          @Override
          public void onFailure(Throwable failure) {
            if (failure instanceof CounterException.NotFound) {
              faults.came(Branch.NOT_FOUND);
            }
            time.after(Duration.ZERO, () -> failed.accept(failure));
          }
        },
        Runnable::run);
  }
}
