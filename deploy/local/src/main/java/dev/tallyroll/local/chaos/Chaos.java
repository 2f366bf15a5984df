package dev.tallyroll.local.chaos;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Makes everything go wrong on a local cloud until it is stopped: its events, its functions and
 * their calls of Firestore. Within the platform's promises: nothing is lost for good. Thread-safe.
 */
public final class Chaos {
  private static final double DUPLICATES = 0.1;
  private static final double LOST_ANSWERS = 0.05;
  private static final Duration LATEST_EVENT = Duration.ofSeconds(2);
  private static final long LOOK_MILLIS = 100;

  private final LocalCloud cloud;
  private final Strikes strikes;

  private Chaos(LocalCloud cloud, Strikes strikes) {
    this.cloud = cloud;
    this.strikes = strikes;
  }

  /**
   * Starts it on a cloud that has {@link LocalCloud#calls}. The seed decides the choices, not the
   * moments at which they are made.
   */
  public static Chaos start(LocalCloud cloud, long seed) {
    CallFaults calls = CallFaults.everyKind(seed);
    cloud.calls().inject(calls);
    cloud
        .deliveries()
        .inject(
            DeliveryFaults.duplicating(DUPLICATES, seed)
                .and(DeliveryFaults.reordering(LATEST_EVENT, seed))
                .and(DeliveryFaults.losingAnswers(LOST_ANSWERS, seed)));
    return new Chaos(cloud, Strikes.start(cloud, calls, seed));
  }

  /** How often each kind has happened on this cloud. */
  public FaultCounts counts() {
    return FaultCounts.of(cloud.deliveries().counts(), cloud.calls().counts(), strikes.counts());
  }

  /**
   * Waits until each kind has happened, but no longer than this: a slow machine takes its time.
   *
   * @return whether all have
   */
  public boolean awaitEveryKind(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!counts().neverHappened().isEmpty()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return true;
  }

  /** Ends all faults; returns when both functions run. What is under way may still be late. */
  public void stop() throws InterruptedException {
    try {
      strikes.stop();
    } finally {
      cloud.calls().inject(CallFaults.NONE);
      cloud.deliveries().inject(DeliveryFaults.NONE);
    }
  }
}
