package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Many increments in a short time, on one counter and on many. */
@On(Site.SHARED)
final class BurstIT {
  private static final int SHARDS = 10;
  private static final int PER_SECOND = 20;
  private static final int TOTALS_WHILE_LIVE = 4;
  private static final int COUNTERS = 50;
  private static final int INCREMENTS_EACH_PER_SECOND = 2;

  private final Lab lab;

  BurstIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void burst_isRolledUpWhileItLastsAndSettlesAfterwards() throws Exception {
    var counter = lab.counter().create(SHARDS);
    try (var reader = Reader.start(counter);
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
      // One write for many increments, whoever did it.
      assertThat(reader.stopNeverGoneBack()).hasSizeLessThan((int) sent / 2);
    }
  }

  @Test
  void settledRollup_holdsTotalAndNothingOfItsLease() throws Exception {
    var counter = lab.counter().create(SHARDS);
    counter.increment(1, 3);

    counter.awaitSettled(3L);

    assertThat(counter.fields()).containsOnlyKeys("counter", "count", "shards", "as_of");
  }

  @Test
  void burstsWithPauses_neverGoBack() throws Exception {
    var counter = lab.counter();
    long total = 0;
    try (var reader = Reader.start(counter)) {
      for (int round = 1; round <= 3; round++) {
        try (var burst = Burst.start(counter, SHARDS, 5 * PER_SECOND)) {
          long wanted = total + PER_SECOND;
          await("a total of this burst").until(() -> counter.shows(wanted));
          total += burst.stop();
        }
        counter.awaitTotal(total);
      }

      counter.awaitSettled(total);

      reader.stopNeverGoneBack();
    }
  }

  @Test
  void manyCountersAtOnce_allSettle() throws Exception {
    var counters = lab.counters(COUNTERS);
    long acknowledged;
    try (var burst = Burst.start(counters, COUNTERS * INCREMENTS_EACH_PER_SECOND)) {
      for (var counter : counters) {
        await(counter.path() + " to go up").until(() -> counter.shows(INCREMENTS_EACH_PER_SECOND));
      }
      acknowledged = burst.stop();
    }

    long settled = 0;
    for (var counter : counters) {
      settled += counter.awaitSettled(counter.sumOfShards()).count().longValue();
    }
    assertThat(settled).isEqualTo(acknowledged);
  }
}
