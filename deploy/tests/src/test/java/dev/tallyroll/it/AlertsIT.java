package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.FieldValue;
import dev.tallyroll.LogMetrics;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.Faults;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Causes each situation that has an alert, and finds it in the functions' own logs by the filters
 * of the metrics.
 */
@On(Site.LONE)
@Order(1) // Five classes take the longest.
final class AlertsIT {
  private static final int SHARDS = 2;
  private static final int PER_SECOND = 20;

  private final TestCloud cloud;

  AlertsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @AfterEach
  void heal() throws Exception {
    cloud.local().calls().inject(CallFaults.NONE);
    cloud.local().deliveries().inject(DeliveryFaults.NONE);
    get(cloud.firestore().document(cloud.layout().settingsDocument()).delete());
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
      counter.awaitSettled(burst.stop() + 1);
    }
    cloud.awaitIdle();
    Faults.sweep(cloud.local());

    assertThat(seen()).containsOnlyKeys("lag-p50", "lag-p99", "live", "roll-ups", "runs", "sweeps");
  }

  @Test
  void shardThatIsNoNumber_isABadValue() throws Exception {
    var counter = settled();

    counter.put(0, Double.NaN);

    awaitSeen("bad-values");
  }

  @Test
  void lostEvents_areDrift() throws Exception {
    var counter = settled();
    cloud.local().deliveries().inject(DeliveryFaults.losingAllEvents());
    counter.increment(1, 1);
    cloud.awaitEvents();

    Faults.sweep(cloud.local());

    awaitSeen("drift");
  }

  @Test
  void leaseThatNobodySettled_isOverdue() throws Exception {
    var counter = settled();
    var path = counter.path();
    Instant longAgo = Instant.now().minus(Duration.ofMinutes(3));
    var batch = cloud.firestore().batch();
    batch.update(
        counter.rollup(),
        "live_until",
        Timestamp.ofTimeSecondsAndNanos(longAgo.getEpochSecond(), 0));
    batch.set(
        cloud.firestore().document(cloud.layout().liveEntry(path)),
        Map.of(
            "counter",
            cloud.layout().counterDocument(path),
            "since",
            FieldValue.serverTimestamp()));
    get(batch.commit());

    cloud.local().tick();

    awaitSeen("overdue");
  }

  @Test
  void storeThatRefusesAll_isAFailure() throws Exception {
    cloud.awaitIdle();
    cloud.local().calls().inject(CallFaults.outage(1));

    cloud.local().tick();

    awaitSeen("failures");
  }

  @Test
  void settingsThatTotalsWereNotMadeWith_areTold() throws Exception {
    var layout = cloud.layout();
    get(
        cloud
            .firestore()
            .document(layout.settingsDocument())
            .set(Map.of("counters", layout.counters(), "count_field", "another")));

    cloud.local().sweep();

    awaitSeen("other-settings");
  }

  /** Missing lines of this kind are an alert: a dead roller or a paused job logs nothing. */
  @Test
  void idleRun_isCountedToo() throws Exception {
    cloud.awaitIdle();
    long before = seen().getOrDefault("runs", 0L);

    cloud.local().tick();

    await("one more").until(() -> seen().getOrDefault("runs", 0L) == before + 1);
  }
}
