package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.google.cloud.firestore.Blob;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shards that no client of ours writes. The total is Firestore's sum of them, or stays as it was,
 * and the counter goes on.
 */
@On(Site.SHARED)
final class BadShardsIT {
  private static final long PAST_DOUBLES = (1L << 53) + 1;
  private static final int NEARLY_A_MEBIBYTE = 1_040_000;

  private final TestCloud cloud;
  private final Counter counter;

  BadShardsIT(TestCloud cloud) {
    this.cloud = cloud;
    this.counter = cloud.counter();
  }

  /** The value of one shard, and the total of the counter if its other shard holds 5. */
  static List<Arguments> oddShards() {
    var large = Blob.fromBytes(new byte[NEARLY_A_MEBIBYTE]);
    return List.of(
        argumentSet("no count", Map.of("other", 7), 5L),
        argumentSet("nothing", Collections.singletonMap("count", null), 5L),
        argumentSet("text", Map.of("count", "7"), 5L),
        argumentSet("a boolean", Map.of("count", true), 5L),
        argumentSet("a list", Map.of("count", List.of(7)), 5L),
        argumentSet("a map", Map.of("count", Map.of("count", 7)), 5L),
        argumentSet("a whole double", Map.of("count", 1.0), 6.0),
        argumentSet("a fraction", Map.of("count", 0.5), 5.5),
        argumentSet("minus zero", Map.of("count", -0.0), 5.0),
        argumentSet("nearly a mebibyte", Map.of("count", 2, "more", large), 7L));
  }

  @ParameterizedTest
  @MethodSource("oddShards")
  void oddShard_countsAsFirestoreSumsIt(Map<String, Object> odd, Number total) throws Exception {
    counter.write("1", odd);
    counter.increment(0, 5);

    counter.awaitSettled(total);
    assertThat(cloud.errorsAbout(counter)).isEmpty();
  }

  @Test
  void text_countsAsNothing() throws Exception {
    counter.increment(0, 5);
    counter.increment(1, 2);
    counter.awaitTotal(7L);

    counter.put(1, "two");

    counter.awaitTotal(5L);
    // Firestore's increment replaces a value that is no number.
    counter.increment(1, 1);
    counter.awaitSettled(6L);
  }

  @Test
  void fullShard_swallowsIncrementsAndGivesBackDecrements() throws Exception {
    counter.put(0, Long.MAX_VALUE);
    counter.awaitSettled(Long.MAX_VALUE);

    counter.increment(0, 1);
    counter.increment(0, -1);

    counter.awaitSettled(Long.MAX_VALUE - 1);
  }

  @Test
  void integersPastDoubles_areExactUntilADoubleComes() throws Exception {
    counter.put(0, PAST_DOUBLES);
    counter.awaitSettled(PAST_DOUBLES);

    counter.put(1, 0.0);

    var rounded =
        await("a double")
            .until(
                () -> counter.fields().get("count"),
                count -> count instanceof Double && !count.equals(0.0));
    assertThat(requireNonNull((Double) rounded)).isBetween(0x1p53, 0x1p53 + 2);
  }

  @Test
  void anyShardId_counts() throws Exception {
    var ids =
        List.of("00", "-1", "+1", " 1", "1e3", "x".repeat(1_500), "\ud83d\ude00", "\n", "%2F");
    for (var id : ids) {
      counter.write(id, Map.of("count", 1));
    }

    assertThat(counter.awaitSettled((long) ids.size()).shards()).isEqualTo(ids.size());
  }

  @Test
  void documentsBelowAShard_countAsNothing() throws Exception {
    counter.shard(0).collection("shards").document("1").set(Map.of("count", 100)).get();
    counter.shard(0).collection("more").document("1").set(Map.of("count", 100)).get();
    counter.increment(0, 5);

    assertThat(counter.awaitSettled(5L).shards()).isEqualTo(1);
  }

  static Object[] valuesThatSpoilTheSum() {
    return new Object[] {Double.NaN, Double.POSITIVE_INFINITY, Long.MAX_VALUE, -1e300};
  }

  @ParameterizedTest
  @MethodSource("valuesThatSpoilTheSum")
  void unusableSum_leavesLastGoodTotalUntilMended(Object bad) throws Exception {
    counter.increment(0, 5);
    var good = counter.awaitSettled(5L);

    counter.put(1, bad);

    await("a report").until(() -> !cloud.errorsAbout(counter).isEmpty());
    assertThat(counter.shown()).contains(good);
    counter.put(1, 2);
    counter.awaitTotal(7L);
  }

  @Test
  void badCounter_delaysNoOther() throws Exception {
    counter.put(1, Double.NaN);
    var good = cloud.counter().create(2);
    try (var badBurst = Burst.start(counter, 1, 20);
        var goodBurst = Burst.start(good, 2, 20)) {
      await("a report").until(() -> !cloud.errorsAbout(counter).isEmpty());
      await("totals of the good one").until(() -> good.shows(40L));
      good.awaitSettled(goodBurst.stop());

      long spoilt = badBurst.stop();
      counter.put(1, 0);
      counter.awaitSettled(spoilt);
    }
  }
}
