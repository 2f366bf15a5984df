package dev.tallyroll.local;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The stand-in for Cloud Scheduler: asks for a run at every full minute and for a sweep at every
 * full hour. A message that cannot be published is logged; the next one is due all the same.
 * Thread-safe.
 */
final class Ticker implements AutoCloseable {
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final Duration HOUR = Duration.ofHours(1);

  private final Consumer<String> publishKind;
  private final InstantSource clock;
  private final Consumer<String> log;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Ticker::daemon);

  /**
   * @param publishKind publishes a message of that kind
   * @param clock whose full minutes count
   */
  Ticker(Consumer<String> publishKind, InstantSource clock, Consumer<String> log) {
    this.publishKind = publishKind;
    this.clock = clock;
    this.log = log;
  }

  Ticker every(Duration period, String kind) {
    long periodMillis = period.toMillis();
    schedule(boundaryAfter(clock.millis(), periodMillis), periodMillis, kind);
    return this;
  }

  private void schedule(long dueMillis, long periodMillis, String kind) {
    var unused =
        timer.schedule(
            () -> {
              // First the next one, so that nothing that happens now can stop the clock; and from
              // when this one was due, as a timer that fires a little early must not fire twice.
              long next = boundaryAfter(Math.max(dueMillis, clock.millis()), periodMillis);
              schedule(next, periodMillis, kind);
              publish(kind);
            },
            Math.max(0, dueMillis - clock.millis()),
            TimeUnit.MILLISECONDS);
  }

  static long boundaryAfter(long millis, long periodMillis) {
    return millis + periodMillis - Math.floorMod(millis, periodMillis);
  }

  private void publish(String kind) {
    try {
      publishKind.accept(kind);
    } catch (RuntimeException e) {
      log.accept("the schedule could not ask for a %s: %s".formatted(kind, e.getMessage()));
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "ticker");
    thread.setDaemon(true);
    return thread;
  }
}
