package dev.tallyroll.local.faults;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.LogMetrics;
import dev.tallyroll.it.TestTotals;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
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
 * Clients of every kind count while everything goes wrong, until each kind of fault has come, or
 * for {@code -Dfaults.minutes=60} with {@code -Dfaults.counters=300}. Then all that they wrote, and
 * all that a reader saw, must fit.
 */
@Order(2) // It takes long.
final class FaultsIT {
  private static final int MINUTES = Integer.getInteger("faults.minutes", 0);
  private static final int COUNTERS = Integer.getInteger("faults.counters", 20);
  private static final Path LOG = Path.of("target", "it-logs", "faults.log");
  private static final Path HISTORIES = Path.of("target", "it-logs", "faults-histories.txt");
  private static final int SEED = 1;

  /** A crash of RollUp is over within a minute; late calls come for half a minute more. */
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(4);

  private static final String[] AT_ONCE = LogMetrics.AT_ONCE.toArray(String[]::new);

  /** The times are shorter than by default, because the test mostly waits for leases to end. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "TOTALS", TestTotals.of("{parent=**}/counters").with("every", "PT0.5S").text(),
          "LEASE", "PT1.5S",
          "IDLE_EXIT", "PT1S");

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Queue<String> printed = new ConcurrentLinkedQueue<>();

  @Test
  void everyKindOfFault_leavesTotalsRight() throws Exception {
    Files.createDirectories(LOG.getParent());
    var options = new LocalCloudOptions().settings(SETTINGS).log(log::add).printed(printed::add);
    try (var cloud = LocalCloud.start(options);
        var load = new ClientLoad(cloud, COUNTERS, SEED, log::add)) {
      load.begin();
      load.during(() -> disturb(cloud, load));
      load.settleNames();
      // Asks for the next run at once; the schedule would ask at the next minute.
      cloud.tick();
      var findings = load.unsettledAfter(SETTLED_WITHIN);
      findings.addAll(load.findings());
      if (!findings.isEmpty()) {
        Files.write(HISTORIES, load.histories());
      }

      assertThat(findings).as("findings; the histories are in " + HISTORIES).isEmpty();
      assertThat(load.seen()).isPositive();
      await("a run's end").until(() -> LogMetrics.counted(printed).containsKey("runs"));
      assertThat(LogMetrics.counted(printed)).doesNotContainKeys(AT_ONCE);
    } finally {
      Files.write(LOG, log);
    }
  }

  private static void disturb(LocalCloud cloud, ClientLoad load) throws InterruptedException {
    load.loseReplies(true);
    var faults = CloudFaults.start(cloud, SEED);
    TimeUnit.MINUTES.sleep(MINUTES);
    await("every kind of fault").until(() -> Occurrence.neverHappened(faults.counts()).isEmpty());
    faults.stop();
    load.loseReplies(false);
    assertThat(load.lostReplies()).as("replies to clients that got lost").isPositive();
  }
}
