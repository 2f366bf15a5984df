package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.LogMetrics;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.Faults;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The filters of the metrics find what the functions in the invoker print. */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class AlertsIT {
  private static final int SHARDS = 2;
  private static final int PER_SECOND = 20;

  private final TestCloud cloud;

  AlertsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @AfterEach
  void heal() {
    cloud.local().calls().inject(CallFaults.NONE);
  }

  @BeforeEach
  void forgetEarlierLines() throws Exception {
    cloud.awaitIdle();
    cloud.printed().clear();
  }

  /** The number of this test's lines that each metric counts. */
  private Map<String, Long> seen() {
    return LogMetrics.counted(cloud.printed());
  }

  private void awaitSeen(String metric) throws Exception {
    await(metric).until(() -> seen().containsKey(metric));
  }

  private Counter settled() throws Exception {
    var counter = cloud.counter().create(SHARDS);
    counter.increment(0, 1);
    counter.awaitSettled(1L);
    return counter;
  }

  @Test
  void healthyBurst_tellsNobody() throws Exception {
    var counter = settled();
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a lease").until(() -> counter.shown().filter(Counter.Shown::isLive).isPresent());
      await("some ticks").until(() -> counter.shows(3L * PER_SECOND));
      counter.awaitSettled(burst.stop() + 1);
    }
    cloud.awaitIdle();
    Faults.sweep(cloud.local());

    assertThat(seen()).containsOnlyKeys("lag-p50", "lag-p99", "live", "roll-ups", "runs", "sweeps");
  }

  /** {@code FiltersTest} has the other situations. */
  @Test
  void badValueAndOutage_areSeen() throws Exception {
    var counter = settled();
    counter.put(0, Double.NaN);
    awaitSeen("bad-values");
    counter.put(0, 0);
    cloud.settleAll();
    assertThat(seen()).doesNotContainKey("failures");

    cloud.local().calls().inject(CallFaults.outage(1));
    cloud.local().tick();

    awaitSeen("failures");
  }
}
