package dev.tallyroll.local.soak;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.LogMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * A short {@code deploy/local/soak}: clients of every kind, while events come twice, late and
 * again, replies get lost on both sides, and each function is killed once.
 */
@Order(1) // Five classes take the longest.
final class FaultsIT {
  private static final Path LOG = Path.of("target", "it-logs", "faults.log");
  private static final int COUNTERS = 20;
  private static final int STEPS_A_SECOND = 25;
  private static final int SEED = 1;
  private static final double SHARE = 0.1;
  private static final int SECONDS_BETWEEN = 2;
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(3);

  private static final String[] AT_ONCE = LogMetrics.AT_ONCE.toArray(String[]::new);

  /** The times are shorter than by default, because the test mostly waits for leases to end. */
  private static final Map<String, String> SETTINGS =
      Map.of("TICK", "PT0.5S", "LEASE", "PT1.5S", "IDLE_EXIT", "PT1S");

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Queue<String> printed = new ConcurrentLinkedQueue<>();

  @Test
  void killedFunctionsAndLostReplies_leaveTotalsRight() throws Exception {
    var options = new LocalCloudOptions().settings(SETTINGS).log(log::add).printed(printed::add);
    try (var cloud = LocalCloud.start(options);
        var load = new SoakLoad(cloud, COUNTERS, SEED, log::add)) {
      load.begin();
      load.during(STEPS_A_SECOND, () -> disturb(cloud, load));
      load.settleNames();
      // Asks for the next run at once; the schedule would ask at the next minute.
      cloud.tick();

      assertThat(load.unsettledAfter(SETTLED_WITHIN)).isEmpty();

      assertThat(load.seen()).isPositive();
      assertThat(load.lostReplies()).as("replies to clients that got lost").isPositive();
      assertThat(load.findings()).isEmpty();
      await("a run's end").until(() -> LogMetrics.counted(printed).containsKey("runs"));
      assertThat(LogMetrics.counted(printed)).doesNotContainKeys(AT_ONCE);
    } finally {
      Files.createDirectories(LOG.getParent());
      Files.write(LOG, log);
    }
  }

  private static void disturb(LocalCloud cloud, SoakLoad load) throws InterruptedException {
    load.loseReplies(true);
    cloud.calls().inject(CallFaults.losingReplies(SHARE, SEED));
    cloud
        .deliveries()
        .inject(
            DeliveryFaults.duplicating(SHARE, SEED)
                .and(DeliveryFaults.reordering(Duration.ofMillis(500), SEED))
                .and(DeliveryFaults.losingAnswers(SHARE, SEED)));
    TimeUnit.SECONDS.sleep(SECONDS_BETWEEN);
    cloud.rollUp().restart();
    TimeUnit.SECONDS.sleep(SECONDS_BETWEEN);
    cloud.onShardWritten().restart();
    TimeUnit.SECONDS.sleep(SECONDS_BETWEEN);
    load.loseReplies(false);
    cloud.calls().inject(CallFaults.NONE);
    cloud.deliveries().inject(DeliveryFaults.NONE);
  }
}
