package dev.tallyroll.internal;

import com.google.api.core.AbstractApiFuture;
import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.RolledUpTotal;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A wait for a total as of a time, or later. It ends with the first such total that it sees, with a
 * failure, when it is cancelled, or when time is up and it has seen one. It leaves no timer behind.
 * Thread-safe.
 */
public final class AwaitedTotal extends AbstractApiFuture<RolledUpTotal> {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private final CounterPath counter;
  private final Instant committed;
  private final Duration atMost;
  private final CompletableFuture<@Nullable Void> deadline;
  private CompletableFuture<@Nullable Void> pause = new CompletableFuture<>();
  private volatile @Nullable RolledUpTotal latest;

  public AwaitedTotal(CounterPath counter, Instant committed, Duration atMost) {
    this.counter = counter;
    this.committed = Arguments.present("committed", committed);
    this.atMost = Arguments.atMost(atMost);
    deadline = timer(atMost, this::giveUp);
    addListener(this::stopTimers, Runnable::run);
  }

  /** Completes on another thread than the timer's, which serves the whole JVM. */
  private static CompletableFuture<@Nullable Void> timer(Duration time, Runnable then) {
    CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
    var unused = timer.thenRunAsync(then);
    return timer.completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void giveUp() {
    RolledUpTotal seen = latest;
    if (!isDone() && seen != null) {
      setException(new CounterException.Behind(counter, committed, atMost, seen.toString()));
    }
  }

  /** Completes them, since early releases of JDK 17 keep the timers of cancelled futures. */
  private synchronized void stopTimers() {
    deadline.complete(null);
    pause.complete(null);
  }

  public void see(RolledUpTotal total) {
    latest = total;
    if (!total.asOf().isBefore(committed)) {
      set(total);
    } else if (deadline.isDone()) {
      giveUp();
    }
  }

  /** Reads now, and again after pauses; in a pause there is a timer, and no call. */
  public void readFrom(Supplier<ApiFuture<RolledUpTotal>> rollup) {
    read(rollup, FIRST_PAUSE);
  }

  private void read(Supplier<ApiFuture<RolledUpTotal>> rollup, Duration next) {
    if (isDone()) {
      return;
    }
    // Within a step, since a closed client throws.
    ApiFutures.addCallback(
        ApiFutures.transformAsync(
            ApiFutures.immediateFuture(next), now -> rollup.get(), Runnable::run),
        new ApiFutureCallback<>() {
          @Override
          public void onSuccess(RolledUpTotal total) {
            see(total);
            rest(rollup, next);
          }

          @Override
          public void onFailure(Throwable failure) {
            setException(failure);
          }
        },
        Runnable::run);
  }

  private synchronized void rest(Supplier<ApiFuture<RolledUpTotal>> rollup, Duration time) {
    if (!isDone()) {
      Duration twice = time.multipliedBy(2);
      Duration next = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
      pause = timer(time, () -> read(rollup, next));
    }
  }
}
