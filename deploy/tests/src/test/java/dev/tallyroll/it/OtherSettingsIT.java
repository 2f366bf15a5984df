package dev.tallyroll.it;

import static com.google.cloud.firestore.Query.Direction.DESCENDING;
import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Functions with other names, database and topic, sums from the documents, and two workers. */
@On(Site.RENAMED)
final class OtherSettingsIT {
  /** Counters are spread over workers by chance. So many do not all get the same of two workers. */
  private static final int COUNTERS = 24;

  private final TestCloud cloud;

  OtherSettingsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @Test
  void totals_areTheSameWhenDocumentsAreSummed() throws Exception {
    var counter = cloud.counter("rooms/r1");
    get(counter.document().set(Map.of()));
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
  void workers_shareTheCountersAndTheSchedule() throws Exception {
    var counters = cloud.counters(COUNTERS);
    for (var counter : counters) {
      get(counter.document().set(Map.of()));
      counter.increment(0, 1);
    }

    for (var counter : counters) {
      counter.awaitSettled(1L);
    }
  }

  /** Posts with their likes, as an app queries them. */
  @Test
  void documentsOfCounters_showTheirTotals() throws Exception {
    var few = cloud.counter("blogs/b1");
    var many = cloud.counter("blogs/b1");
    var without = cloud.counter("blogs/b1");
    for (var post : List.of(few, many)) {
      get(post.document().set(Map.of("title", "x", "stats", Map.of("views", 7))));
    }
    few.increment(0, 2);
    without.increment(0, 1);
    try (var burst = Burst.start(many, 1, 20)) {
      await("a live total").until(() -> many.shown().filter(TestCounter.Shown::isLive).isPresent());
      burst.stop();
    }
    long sum = many.sumOfShards();

    many.awaitSettled(sum);
    few.awaitSettled(2L);
    assertThat(get(without.rollup().get()).exists()).isFalse();
    var query =
        few.document().getParent().whereEqualTo("title", "x").orderBy("stats.likes", DESCENDING);
    assertThat(get(query.get()).getDocuments())
        .extracting(post -> post.get("stats"))
        .containsExactly(Map.of("views", 7L, "likes", sum), Map.of("views", 7L, "likes", 2L));
    assertThat(get(without.document().get()).exists()).isFalse();
  }
}
