package dev.tallyroll.local.up;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.time.Instant;
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
 * Increments counters at a steady rate, as many users would: it does not wait for answers to
 * earlier increments. Thread-safe.
 */
final class Traffic implements AutoCloseable {
  /** With more unanswered increments, the machine is too slow for the rate: others are left out. */
  private static final int MAX_UNANSWERED = 2_000;

  private final List<List<DemoCounter>> groups;
  private final int others;
  private final Random random = new Random(1);
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("traffic").setDaemon(true).build());
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();
  private double perSecond;
  private @Nullable ScheduledFuture<?> increments;

  private Traffic(List<List<DemoCounter>> groups, double perSecond, int others) {
    this.groups = List.copyOf(groups);
    this.others = others;
    turn(perSecond);
  }

  /** Increments a second, over all counters. */
  synchronized double perSecond() {
    return perSecond;
  }

  /** The number of counters. */
  int size() {
    return counters().size();
  }

  /** Sets the number of increments a second; 0 for none. */
  synchronized void turn(double wanted) {
    perSecond = wanted;
    if (increments != null) {
      increments.cancel(false);
    }
    if (wanted > 0 && !groups.isEmpty()) {
      long period = (long) (TimeUnit.SECONDS.toNanos(1) / wanted);
      increments = clock.scheduleAtFixedRate(this::increment, period, period, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * All groups get the same share; in each, a counter gets four times the increments of the next.
   *
   * @param groups none of them empty
   */
  static Traffic falling(List<List<DemoCounter>> groups, double perSecond) {
    return new Traffic(groups, perSecond, 5);
  }

  /** All counters get the same share. */
  static Traffic even(List<DemoCounter> counters, double perSecond) {
    return new Traffic(List.of(List.copyOf(counters)), perSecond, 1);
  }

  private void increment() {
    if (unanswered.get() >= MAX_UNANSWERED) {
      leftOut.incrementAndGet();
      return;
    }
    DemoCounter counter = pick();
    unanswered.incrementAndGet();
    ApiFutures.addCallback(
        counter.source.increment(),
        new ApiFutureCallback<Instant>() {
          @Override
          public void onSuccess(Instant committed) {
            counter.acknowledge(System.nanoTime());
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

  private DemoCounter pick() {
    List<DemoCounter> counters = groups.get(random.nextInt(groups.size()));
    if (others == 1) {
      return counters.get(random.nextInt(counters.size()));
    }
    int index = 0;
    while (index < counters.size() - 1 && random.nextInt(others) == 0) {
      index++;
    }
    return counters.get(index);
  }

  List<DemoCounter> counters() {
    return groups.stream().flatMap(List::stream).toList();
  }

  /** The increments that Firestore has acknowledged, over all counters. */
  long acknowledged() {
    return counters().stream().mapToLong(DemoCounter::acknowledged).sum();
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

  /** Stops. Increments in flight go on. */
  @Override
  public void close() {
    clock.shutdownNow();
  }
}
