package dev.tallyroll.platform;

import dev.tallyroll.runs.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** An event loop on one daemon thread. Its methods may be called from any thread. */
public final class ThreadEventLoop implements EventLoop, AutoCloseable {
  private final ScheduledExecutorService thread;
  private final InstantSource clock;
  private final long begun = System.nanoTime();

  public ThreadEventLoop(String name, InstantSource clock) {
    this.thread =
        new ScheduledThreadPoolExecutor(
            /* corePoolSize= */ 1,
            work -> {
              Thread made = new Thread(work, name);
              made.setDaemon(true);
              return made;
            });
    this.clock = clock;
  }

  @Override
  public void execute(Runnable step) {
    thread.execute(step);
  }

  @Override
  public Instant instant() {
    return clock.instant();
  }

  @Override
  public Duration uptime() {
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  @Override
  public CompletableFuture<Void> after(Duration delay) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    var unused =
        thread.schedule(
            () -> passed.complete(null), Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
    return passed;
  }

  @Override
  public Duration jitter(Duration most) {
    long nanos = most.toNanos();
    return Duration.ofNanos(nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
  }

  @Override
  public String newName() {
    return UUID.randomUUID().toString();
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
