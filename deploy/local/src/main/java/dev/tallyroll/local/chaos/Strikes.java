package dev.tallyroll.local.chaos;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Every few seconds kills a function, which is started again, or cuts Firestore off for a while.
 * Each kind comes once before one comes again. Thread-safe.
 */
final class Strikes {
  private static final List<Fault> KINDS =
      List.of(Fault.HANDLER_KILLED, Fault.ROLLER_KILLED, Fault.OUTAGE);

  private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);
  private static final Duration MOST_PAUSE = Duration.ofSeconds(6);
  private static final Duration LONGEST_DOWN = Duration.ofSeconds(2);

  /** Longer than the functions' start on a busy machine. */
  private static final Duration END_WITHIN = Duration.ofMinutes(2);

  private final LocalCloud cloud;
  private final CallFaults between;
  private final Random random;
  private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::strikeUntilStopped, "strikes");
  private @Nullable RuntimeException failure;

  private Strikes(LocalCloud cloud, CallFaults between, long seed) {
    this.cloud = cloud;
    this.between = between;
    this.random = new Random(seed);
    thread.setDaemon(true);
  }

  /**
   * @param between the faults of calls when there is no outage
   */
  static Strikes start(LocalCloud cloud, CallFaults between, long seed) {
    var strikes = new Strikes(cloud, between, seed);
    strikes.thread.start();
    return strikes;
  }

  synchronized Map<Fault, Long> counts() {
    return Map.copyOf(counts);
  }

  /** Returns when both functions run again. */
  void stop() throws InterruptedException {
    stopped.countDown();
    thread.join(END_WITHIN.toMillis());
    synchronized (this) {
      if (failure != null) {
        throw failure;
      }
    }
    if (thread.isAlive()) {
      throw new IllegalStateException("expected the strikes to end within " + END_WITHIN);
    }
  }

  private void strikeUntilStopped() {
    try {
      for (int i = 0; !pause(LEAST_PAUSE, MOST_PAUSE); i++) {
        strike(KINDS.get(i % KINDS.size()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      synchronized (this) {
        failure = e;
      }
    }
  }

  private void strike(Fault kind) throws InterruptedException {
    switch (kind) {
      case HANDLER_KILLED -> kill(cloud.onShardWritten());
      case ROLLER_KILLED -> kill(cloud.rollUp());
      default -> cutOff();
    }
    synchronized (this) {
      counts.merge(kind, 1L, Long::sum);
    }
  }

  /** It is started again even if the end has come meanwhile. */
  private void kill(FunctionServer function) throws InterruptedException {
    function.kill();
    pause(Duration.ZERO, LONGEST_DOWN);
    function.restart();
  }

  private void cutOff() throws InterruptedException {
    cloud.calls().inject(CallFaults.outage(random.nextLong()));
    pause(Duration.ZERO, LONGEST_DOWN);
    cloud.calls().inject(between.withSeed(random.nextLong()));
  }

  /** Whether the end has come. */
  private boolean pause(Duration least, Duration most) throws InterruptedException {
    long span = most.minus(least).toMillis();
    long millis = least.toMillis() + (long) (random.nextDouble() * span);
    return stopped.await(millis, TimeUnit.MILLISECONDS);
  }
}
