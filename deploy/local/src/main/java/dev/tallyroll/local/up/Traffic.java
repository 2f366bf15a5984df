package dev.tallyroll.local.up;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.local.console.LocalControls;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Increments counters at a steady rate, whether or not earlier increments were answered: as many
 * users would. Most go to the first counter, fewer to each one after it. Thread-safe.
 */
final class Traffic implements LocalControls.Dial, AutoCloseable {
  /**
   * More than this unanswered, and the machine is too slow for the rate: increments are left out.
   */
  private static final int MAX_UNANSWERED = 2_000;

  private final List<DemoCounter> counters;
  private final Random random = new Random(1);
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "traffic");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();
  private double perSecond;
  private @Nullable ScheduledFuture<?> increments;

  /**
   * @param perSecond increments a second, over all counters; 0 for none
   */
  Traffic(List<DemoCounter> counters, double perSecond) {
    this.counters = counters;
    turn(perSecond);
  }

  @Override
  public synchronized double perSecond() {
    return perSecond;
  }

  @Override
  public synchronized void turn(double wanted) {
    perSecond = wanted;
    if (increments != null) {
      increments.cancel(false);
    }
    if (wanted > 0 && !counters.isEmpty()) {
      long period = (long) (TimeUnit.SECONDS.toNanos(1) / wanted);
      increments = clock.scheduleAtFixedRate(this::increment, period, period, TimeUnit.NANOSECONDS);
    }
  }

  private void increment() {
    if (unanswered.get() >= MAX_UNANSWERED) {
      leftOut.incrementAndGet();
      return;
    }
    DemoCounter counter = pick();
    unanswered.incrementAndGet();
    ApiFutures.addCallback(
        counter.increment(random.nextInt(counter.shards())),
        new ApiFutureCallback<WriteResult>() {
          @Override
          public void onSuccess(WriteResult result) {
            counter.meter().acknowledged(System.nanoTime());
            unanswered.decrementAndGet();
          }

          @Override
          public void onFailure(Throwable failure) {
            failed.incrementAndGet();
            unanswered.decrementAndGet();
          }
        },
        Runnable::run);
  }

  /** Each counter gets four times what the next one gets. */
  private DemoCounter pick() {
    int index = 0;
    while (index < counters.size() - 1 && random.nextInt(5) == 0) {
      index++;
    }
    return counters.get(index);
  }

  long failed() {
    return failed.get();
  }

  long leftOut() {
    return leftOut.get();
  }

  boolean isAnswered() {
    return unanswered.get() == 0;
  }

  /** Makes no more increments; those under way go on. */
  @Override
  public void close() {
    clock.shutdownNow();
  }
}
