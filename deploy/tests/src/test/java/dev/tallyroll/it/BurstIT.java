package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.it.TestCounter.Shown;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many increments in a short time. */
@On(Site.SHARED)
@Tag("core")
final class BurstIT {
  private static final int SHARDS = 10;
  private static final int PER_SECOND = 20;
  private static final int TOTALS_WHILE_LIVE = 4;
  private static final DeliveryFaults FAULTS =
      DeliveryFaults.duplicating(0.5, 7).and(DeliveryFaults.reordering(Duration.ofMillis(800), 7));

  private final TestCloud cloud;
  private final TestCounter counter;

  BurstIT(TestCloud cloud) {
    this.cloud = cloud;
    this.counter = cloud.counter();
  }

  @BeforeEach
  void create() throws Exception {
    counter.create(SHARDS);
  }

  @AfterEach
  void injectNothing() {
    cloud.local().deliveries().inject(DeliveryFaults.NONE);
  }

  @Test
  void burst_isRolledUpWhileItLastsAndSettlesAfterwards() throws Exception {
    try (var reader = new Reader(counter);
        var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("several totals under a lease")
          .until(
              () ->
                  reader.seen().stream().filter(Shown::isLive).map(Shown::count).distinct().count(),
              totals -> totals >= TOTALS_WHILE_LIVE);
      await("enough increments to share writes").until(() -> counter.shows(3L * PER_SECOND));
      long sent = burst.stop();

      var settled = counter.awaitSettled(sent);

      assertThat(settled.shards()).isEqualTo(SHARDS);
      assertThat(counter.sumOfShards()).isEqualTo(sent);
      assertThat(counter.fields())
          .containsOnlyKeys("counter", "total_of", "count", "shards", "as_of");
      // A function has written one total for many increments.
      assertThat(reader.stopNeverGoneBack()).hasSizeLessThan((int) sent / 2);
    }
  }

  /** The faults also meet the events of other tests. These tests must still pass. */
  @Test
  void duplicatesInAnyOrder_changeNothing() throws Exception {
    long before = cloud.local().deliveries().count(Occurrence.EVENT_DOUBLED);
    cloud.local().deliveries().inject(FAULTS);
    try (var reader = new Reader(counter);
        var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("some totals").until(() -> reader.seen().size() >= TOTALS_WHILE_LIVE);
      long sent = burst.stop();

      counter.awaitSettled(sent);

      reader.stopNeverGoneBack();
    }
    assertThat(cloud.local().deliveries().count(Occurrence.EVENT_DOUBLED)).isGreaterThan(before);

    counter.deleteShard(0);
    counter.increment(1, -1000);

    counter.awaitSettled(counter.sumOfShards());
  }
}
