package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Functions with other names, database and topic, sums from the documents, and two workers. */
@On(Site.RENAMED)
final class OtherSettingsIT {
  private static final int WORKERS = 2;

  /** Counters are spread over workers by chance. So many do not all get the same of two workers. */
  private static final int COUNTERS = 24;

  private final TestCloud cloud;

  OtherSettingsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @Test
  void totals_areTheSameWhenDocumentsAreSummed() throws Exception {
    var counter = cloud.counter("rooms/r1");
    counter.increment(0, 7);
    counter.increment(1, -2);
    assertThat(counter.awaitTotal(5L).shards()).isEqualTo(2);
    assertThat(counter.rollup().getPath()).startsWith("rooms/r1/totals/");

    counter.put(2, "text");
    counter.increment(1, 0.5);
    counter.awaitTotal(5.5);
    counter.deleteShard(1);

    counter.awaitSettled(7L);
  }

  @Test
  void unusableSum_leavesLastGoodTotal() throws Exception {
    var counter = cloud.counter();
    counter.increment(0, 5);
    var good = counter.awaitSettled(5L);

    counter.put(1, Long.MAX_VALUE);

    await("a report").until(() -> !cloud.errorsAbout(counter).isEmpty());
    assertThat(counter.shown()).contains(good);
    counter.delete();
    counter.awaitNoRollup();
  }

  @Test
  void workers_shareTheCountersAndTheSchedule() throws Exception {
    var counters = cloud.counters(COUNTERS);
    long acknowledged;
    try (var reader = new Reader(counters.get(0));
        var burst = Burst.start(counters, 2 * COUNTERS)) {
      for (int worker = 0; worker < WORKERS; worker++) {
        awaitOtherHolder(worker, "");
      }
      var first = new String[] {cloud.holder(0), cloud.holder(1)};

      cloud.local().tick();

      for (int worker = 0; worker < WORKERS; worker++) {
        awaitOtherHolder(worker, first[worker]);
      }
      acknowledged = burst.stop();
      reader.stopNeverGoneBack();
    }
    long settled = 0;
    for (var counter : counters) {
      settled += counter.awaitSettled(counter.sumOfShards()).count().longValue();
    }
    assertThat(settled).isEqualTo(acknowledged);
  }

  private void awaitOtherHolder(int worker, String before) throws Exception {
    await("a new run of worker " + worker)
        .until(() -> cloud.holder(worker), holder -> !holder.isEmpty() && !holder.equals(before));
  }
}
