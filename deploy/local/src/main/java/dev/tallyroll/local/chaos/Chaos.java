package dev.tallyroll.local.chaos;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Sweeps.Drift;
import dev.tallyroll.local.chaos.FaultCounts.Fault;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes everything go wrong on a local cloud until it is stopped: its events, its functions and
 * their calls of Firestore. Within the platform's promises: nothing is lost for good. Thread-safe.
 */
public final class Chaos {
  private static final double DUPLICATES = 0.1;
  private static final double LOST_ANSWERS = 0.05;
  private static final Duration LATEST_EVENT = Duration.ofSeconds(2);

  /** What happens every few seconds; each comes once before one comes again. */
  private static final List<Fault> STRIKES =
      List.of(Fault.HANDLER_KILLED, Fault.ROLLER_KILLED, Fault.OUTAGE);

  private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);
  private static final Duration MOST_PAUSE = Duration.ofSeconds(6);
  private static final Duration LONGEST_DOWN = Duration.ofSeconds(2);

  /**
   * Longer than the functions' start on a busy machine; than events wait for the last of their
   * repetitions; than a sweep of a small database takes.
   */
  private static final Duration ENOUGH = Duration.ofMinutes(2);

  private static final long LOOK_MILLIS = 50;

  private final LocalCloud cloud;
  private final CallFaults calls;
  private final Random random;
  private final Map<Fault, Long> strikes = new EnumMap<>(Fault.class);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::strikeUntilStopped, "chaos");
  private @Nullable RuntimeException failure;

  private Chaos(LocalCloud cloud, long seed) {
    this.cloud = cloud;
    this.calls = CallFaults.everyKind(seed);
    this.random = new Random(seed);
    thread.setDaemon(true);
  }

  /**
   * Starts it on a cloud that has {@link LocalCloud#calls}. The seed decides the choices, not the
   * moments at which they are made.
   */
  public static Chaos start(LocalCloud cloud, long seed) {
    var chaos = new Chaos(cloud, seed);
    cloud.calls().inject(chaos.calls);
    cloud
        .deliveries()
        .inject(
            DeliveryFaults.duplicating(DUPLICATES, seed)
                .and(DeliveryFaults.reordering(LATEST_EVENT, seed))
                .and(DeliveryFaults.losingAnswers(LOST_ANSWERS, seed)));
    chaos.thread.start();
    return chaos;
  }

  /** How often each kind has happened on this cloud. */
  public synchronized FaultCounts counts() {
    return FaultCounts.of(cloud.deliveries().counts(), cloud.calls(), strikes);
  }

  /**
   * Waits until each kind has happened, but no longer than this: a slow machine takes its time.
   *
   * @return whether all have
   */
  public boolean awaitEveryKind(Duration limit) throws InterruptedException {
    return await(limit, () -> counts().neverHappened().isEmpty());
  }

  /** Ends all faults; returns when both functions run. What is under way may still be late. */
  public void stop() throws InterruptedException {
    stopped.countDown();
    try {
      thread.join(ENOUGH.toMillis());
    } finally {
      cloud.calls().inject(CallFaults.NONE);
      cloud.deliveries().inject(DeliveryFaults.NONE);
    }
    synchronized (this) {
      if (failure != null) {
        throw failure;
      }
    }
    if (thread.isAlive()) {
      throw new IllegalStateException("expected the faults to end within " + ENOUGH);
    }
  }

  /**
   * Sweeps once over everything, as the schedule does, when no event is on its way any more: what
   * is corrected was lost. For databases that are swept in one part.
   *
   * @return the totals that were wrong
   * @throws IllegalStateException if events keep coming, or the sweep does not end
   */
  public static List<Drift> sweep(LocalCloud cloud) throws InterruptedException {
    if (!await(ENOUGH, cloud::quiet)) {
      throw new IllegalStateException("expected no event to be on its way within " + ENOUGH);
    }
    var before = cloud.rollUp().sweeps();
    cloud.sweep();
    if (!await(ENOUGH, () -> cloud.rollUp().sweeps().parts() > before.parts())) {
      throw new IllegalStateException("expected the sweep to end within " + ENOUGH);
    }
    var all = cloud.rollUp().sweeps().drift();
    return all.subList(before.drift().size(), all.size());
  }

  private static boolean await(Duration limit, BooleanSupplier isSo) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
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
      strikes.merge(kind, 1L, Long::sum);
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
    cloud.calls().inject(calls.withSeed(random.nextLong()));
  }

  /** Whether the end has come. */
  private boolean pause(Duration least, Duration most) throws InterruptedException {
    long span = most.minus(least).toMillis();
    long millis = least.toMillis() + (long) (random.nextDouble() * span);
    return stopped.await(millis, TimeUnit.MILLISECONDS);
  }
}
