package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.FunctionServer.Drift;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All events of some writes are lost, as when a trigger is deployed anew, roll-ups are changed by
 * hand, and an instance of RollUp is terminated, or gets no CPU for a while.
 */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
@Tag("core")
final class LostEventsIT {
  private static final int OF_EACH = 4;
  private static final int SHARDS = 2;

  /** Longer than a lease and the slack. */
  private static final Duration LOSS = Duration.ofSeconds(4);

  private final TestCloud cloud;

  LostEventsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @AfterEach
  void loseNoMore() {
    cloud.local().deliveries().inject(DeliveryFaults.NONE);
  }

  @Test
  void oneSweep_makesEveryTotalRight() throws Exception {
    var untouched = create();
    var changed = create();
    var deleted = create();
    var overwritten = create();
    var withoutRollup = create();
    cloud.settleAll();
    assertRight(Stream.of(untouched, changed, deleted, overwritten, withoutRollup));

    cloud.local().deliveries().inject(DeliveryFaults.losingAllEvents());
    var created = create();
    for (var counter : deleted) {
      counter.delete();
    }
    for (var counter : overwritten) {
      get(counter.rollup().update("count", 99));
    }
    for (var counter : withoutRollup) {
      get(counter.rollup().delete());
    }
    increment(changed);
    cloud.awaitEvents();
    cloud.local().deliveries().inject(DeliveryFaults.NONE);
    var drift = CloudFaults.sweep(cloud.local());

    assertThat(drift)
        .extracting(Drift::counter)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(changed, deleted, overwritten, withoutRollup, created)
                .flatMap(List::stream)
                .map(counter -> cloud.layout().counterDocument(counter.path()))
                .toList());
    cloud.settleAll();
    assertRight(Stream.of(untouched, changed, overwritten, withoutRollup, created));
    for (var counter : deleted) {
      assertThat(counter.shown()).as("the roll-up of a deleted counter").isEmpty();
    }
  }

  /** The schedule's messages ask for a sweep each hour in this way. */
  @Test
  void runInTheMinuteThatItsMessageNames_hasAllSwept() throws Exception {
    var one = create().get(0);
    cloud.settleAll();
    cloud.local().deliveries().inject(DeliveryFaults.losingAllEvents());
    one.increment(0, 2);
    cloud.awaitEvents();
    cloud.local().deliveries().inject(DeliveryFaults.NONE);
    int minute = ZonedDateTime.now(ZoneOffset.UTC).getMinute();

    cloud.local().publish(Map.of("kind", "run", "sweep", Integer.toString((minute + 30) % 60)));
    cloud.local().tick();
    assertThat(one.shown().orElseThrow().count()).isEqualTo(1L);
    // The minute may end before the message is published, so the next minute is named, too.
    for (int each : List.of(minute, (minute + 1) % 60)) {
      cloud.local().publish(Map.of("kind", "run", "sweep", Integer.toString(each)));
    }

    await("the total").until(() -> one.shown().orElseThrow().count().equals(3L));
    await("the sweep's end").until(() -> cloud.local().runsUnderway() == 0);
  }

  private List<TestCounter> create() throws Exception {
    var counters = cloud.counters(OF_EACH);
    for (var counter : counters) {
      counter.create(SHARDS);
      counter.increment(0, 1);
    }
    return counters;
  }

  private static void increment(List<TestCounter> counters) throws Exception {
    long end = System.nanoTime() + LOSS.toNanos();
    for (int i = 0; i < counters.size() || System.nanoTime() < end; i++) {
      counters.get(i % counters.size()).increment(i % SHARDS, 2);
    }
  }

  private static void assertRight(Stream<List<TestCounter>> counters) throws Exception {
    for (var counter : counters.flatMap(List::stream).toList()) {
      assertThat(counter.shown().orElseThrow().count()).isEqualTo(counter.sumOfShards());
    }
  }
}
