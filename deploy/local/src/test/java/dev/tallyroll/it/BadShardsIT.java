package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import com.google.cloud.firestore.Blob;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shards that no client of ours writes: the total is what Firestore's sum makes of them, or stays
 * what it was, and the counter goes on.
 */
@On(Site.SHARED)
final class BadShardsIT {
  private static final long PAST_DOUBLES = (1L << 53) + 1;
  private static final int NEARLY_A_MEBIBYTE = 1_040_000;

  private final Lab lab;

  BadShardsIT(Lab lab) {
    this.lab = lab;
  }

  /**
   * What a shard holds.
   *
   * @param total what it makes of a counter whose other shard holds 5
   * @param then the same after that one was raised by 1
   */
  record Odd(Map<String, ?> fields, Number total, Number then) {
    static Odd ignored(Map<String, ?> fields) {
      return new Odd(fields, 5L, 6L);
    }
  }

  static List<Named<Odd>> oddShards() {
    return List.of(
        named("no count", Odd.ignored(Map.of("other", 7))),
        named("text", Odd.ignored(Map.of("count", "7"))),
        named("a boolean", Odd.ignored(Map.of("count", true))),
        named("a list", Odd.ignored(Map.of("count", List.of(7)))),
        named("a map", Odd.ignored(Map.of("count", Map.of("count", 7)))),
        named("a whole double", new Odd(Map.of("count", 1.0), 6.0, 7.0)),
        named("a fraction", new Odd(Map.of("count", 0.5), 5.5, 6.5)),
        named("minus zero", new Odd(Map.of("count", -0.0), 5.0, 6.0)),
        named(
            "nearly a mebibyte",
            new Odd(
                Map.of("count", 2, "more", Blob.fromBytes(new byte[NEARLY_A_MEBIBYTE])), 7L, 8L)));
  }

  @ParameterizedTest
  @MethodSource("oddShards")
  void oddShard_countsAsFirestoreSumsIt(Odd odd) throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.awaitSettled(5L);

    counter.write("1", odd.fields());

    counter.awaitTotal(odd.total());
    counter.increment(0, 1);
    counter.awaitSettled(odd.then());
    assertThat(lab.errorsAbout(counter)).isEmpty();
  }

  @Test
  void nothing_countsAsNothing() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.shard(1).set(java.util.Collections.singletonMap("count", null)).get();

    counter.increment(0, 1);

    counter.awaitSettled(6L);
  }

  @Test
  void fullShard_swallowsIncrementsAndGivesBackDecrements() throws Exception {
    var counter = lab.counter();
    counter.put(0, Long.MAX_VALUE);
    counter.awaitSettled(Long.MAX_VALUE);

    counter.increment(0, 1);
    counter.increment(0, -1);

    counter.awaitSettled(Long.MAX_VALUE - 1);
  }

  @Test
  void sumThatComesBackIntoRange_isExact() throws Exception {
    var counter = lab.counter();
    counter.put(0, Long.MAX_VALUE);
    counter.put(1, -2);

    counter.put(2, 1);

    counter.awaitSettled(Long.MAX_VALUE - 1);
  }

  @Test
  void integersPastDoubles_areExactUntilADoubleComes() throws Exception {
    var counter = lab.counter();
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
  void counterWithoutShards_hasNoRollup() throws Exception {
    var counter = lab.counter().create(0);
    var later = lab.counter();

    later.increment(0, 1);

    later.awaitSettled(1L);
    assertThat(counter.shown()).isEmpty();
  }

  @Test
  void anyShardId_counts() throws Exception {
    var counter = lab.counter();
    var ids =
        List.of("00", "-1", "+1", " 1", "1e3", "x".repeat(1_500), "\ud83d\ude00", "\n", "%2F");
    for (var id : ids) {
      counter.write(id, Map.of("count", 1));
    }

    assertThat(counter.awaitSettled((long) ids.size()).shards()).isEqualTo(ids.size());
  }

  @Test
  void documentsBelowAShard_countAsNothing() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.awaitSettled(5L);

    counter.shard(0).collection("shards").document("1").set(Map.of("count", 100)).get();
    counter.shard(0).collection("more").document("1").set(Map.of("count", 100)).get();
    counter.increment(0, 1);

    assertThat(counter.awaitSettled(6L).shards()).isEqualTo(1);
  }

  static Object[] valuesThatSpoilTheSum() {
    return new Object[] {Double.NaN, Double.POSITIVE_INFINITY, Long.MAX_VALUE, -1e300};
  }

  @ParameterizedTest
  @MethodSource("valuesThatSpoilTheSum")
  void unusableSum_leavesLastGoodTotalUntilMended(Object bad) throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    var good = counter.awaitSettled(5L);

    counter.put(1, bad);

    await("a report").until(() -> !lab.errorsAbout(counter).isEmpty());
    assertThat(counter.shown()).contains(good);
    counter.put(1, 2);
    counter.awaitTotal(7L);
  }

  @Test
  void text_countsAsNothing() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.increment(1, 2);
    counter.awaitTotal(7L);

    counter.put(1, "two");

    counter.awaitTotal(5L);
    // Firestore's increment replaces what is no number.
    counter.increment(1, 1);
    counter.awaitSettled(6L);
  }

  @Test
  void badCounter_delaysNoOther() throws Exception {
    var bad = lab.counter().create(2);
    var good = lab.counter().create(2);
    bad.put(1, Double.NaN);
    try (var badBurst = Burst.start(bad, 1, 20);
        var goodBurst = Burst.start(good, 2, 20)) {
      await("a report").until(() -> !lab.errorsAbout(bad).isEmpty());
      await("totals of the good one").until(() -> good.shows(40L));
      long sent = goodBurst.stop();

      good.awaitSettled(sent);

      long spoilt = badBurst.stop();
      bad.put(1, 0);
      bad.awaitSettled(spoilt);
    }
  }
}
