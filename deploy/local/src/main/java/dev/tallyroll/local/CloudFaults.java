package dev.tallyroll.local;

import com.google.common.collect.Maps;
import com.google.common.util.concurrent.AtomicLongMap;
import dev.tallyroll.local.FunctionServer.Drift;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Disturbs a local cloud until it is stopped: its events, its functions and their calls of
 * Firestore. It keeps the platform's promises: nothing is lost for good. Thread-safe.
 */
public final class CloudFaults {
  private static final double DUPLICATES = 0.1;
  private static final double LOST_ANSWERS = 0.05;
  private static final Duration LATEST_EVENT = Duration.ofSeconds(2);

  /** One of these faults comes every few seconds, and each comes once before any comes again. */
  private static final List<Occurrence> STRIKES =
      List.of(Occurrence.HANDLER_KILLED, Occurrence.ROLLUP_KILLED, Occurrence.OUTAGE);

  private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);
  private static final Duration MOST_PAUSE = Duration.ofSeconds(6);
  private static final Duration LONGEST_DOWN = Duration.ofSeconds(2);

  /**
   * Longer than a start of the functions on a busy machine, than the last back-off of an event, and
   * than a sweep of a small database.
   */
  private static final Duration ENOUGH = Duration.ofMinutes(2);

  private static final long PAUSE_MILLIS = 50;

  private final LocalCloud cloud;
  private final CallFaults calls;
  private final Random random;
  private final AtomicLongMap<Occurrence> strikes = AtomicLongMap.create();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::strikeUntilStopped, "faults");
  private volatile @Nullable RuntimeException failure;

  private CloudFaults(LocalCloud cloud, long seed) {
    this.cloud = cloud;
    this.calls = CallFaults.everyKind(seed);
    this.random = new Random(seed);
    thread.setDaemon(true);
  }

  /** The seed decides which faults come, but not at which moments. */
  public static CloudFaults start(LocalCloud cloud, long seed) {
    var faults = new CloudFaults(cloud, seed);
    cloud.calls().inject(faults.calls);
    cloud
        .deliveries()
        .inject(
            DeliveryFaults.duplicating(DUPLICATES, seed)
                .and(DeliveryFaults.reordering(LATEST_EVENT, seed))
                .and(DeliveryFaults.losingAnswers(LOST_ANSWERS, seed)));
    faults.thread.start();
    return faults;
  }

  /** How often this has happened on the cloud. */
  public long count(Occurrence what) {
    return strikes.get(what) + cloud.deliveries().count(what) + cloud.calls().count(what);
  }

  /** The counts of all that has happened on the cloud. */
  public Map<Occurrence, Long> counts() {
    return Maps.toMap(EnumSet.allOf(Occurrence.class), this::count);
  }

  /** Ends all faults; returns when both functions run. Events in flight may still be late. */
  public void stop() throws InterruptedException {
    stopped.countDown();
    try {
      thread.join(ENOUGH.toMillis());
    } finally {
      cloud.calls().inject(CallFaults.NONE);
      cloud.deliveries().inject(DeliveryFaults.NONE);
    }
    var found = failure;
    if (found != null) {
      throw found;
    }
    if (thread.isAlive()) {
      throw new IllegalStateException("expected the faults to end within " + ENOUGH);
    }
  }

  /**
   * Sweeps over everything, as the schedule does, once no event is in flight. So each correction is
   * of a lost event.
   *
   * @return the totals that were wrong
   * @throws IllegalStateException if events keep coming, or the sweep does not end
   */
  public static List<Drift> sweep(LocalCloud cloud) throws InterruptedException {
    if (!await(ENOUGH, cloud::quiet)) {
      throw new IllegalStateException("expected no event to be on its way within " + ENOUGH);
    }
    var before = cloud.rollUp().sweeps();
    while (cloud.rollUp().sweeps().complete() == before.complete()) {
      sweepPart(cloud);
    }
    var all = cloud.rollUp().sweeps().drift();
    return all.subList(before.drift().size(), all.size());
  }

  /** Asks for one part of a sweep, and waits until it has ended. */
  public static void sweepPart(LocalCloud cloud) throws InterruptedException {
    long before = cloud.rollUp().sweeps().parts();
    cloud.sweep();
    if (!await(ENOUGH, () -> cloud.rollUp().sweeps().parts() > before)) {
      throw new IllegalStateException("expected the sweep to end within " + ENOUGH);
    }
  }

  private static boolean await(Duration limit, BooleanSupplier isSo) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    return true;
  }

  private void strikeUntilStopped() {
    try {
      for (int i = 0; !pause(LEAST_PAUSE, MOST_PAUSE); i++) {
        strike(STRIKES.get(i % STRIKES.size()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private void strike(Occurrence kind) throws InterruptedException {
    switch (kind) {
      case HANDLER_KILLED -> kill(cloud.onShardWritten());
      case ROLLUP_KILLED -> kill(cloud.rollUp());
      default -> cutOff();
    }
    strikes.incrementAndGet(kind);
  }

  /** Kills the function, and starts it again even if the faults have ended meanwhile. */
  private void kill(FunctionServer function) throws InterruptedException {
    function.kill();
    pause(Duration.ZERO, LONGEST_DOWN);
    function.restart();
  }

  private void cutOff() throws InterruptedException {
    cloud.calls().inject(CallFaults.outage(random.nextLong()));
    pause(Duration.ZERO, LONGEST_DOWN);
    cloud.calls().inject(calls.withSeed(random.nextLong()));
  }

  /** Waits for a random time; returns whether the faults have ended. */
  private boolean pause(Duration least, Duration most) throws InterruptedException {
    long span = most.minus(least).toMillis();
    long millis = least.toMillis() + (long) (random.nextDouble() * span);
    return stopped.await(millis, TimeUnit.MILLISECONDS);
  }
}
