package dev.tallyroll.it;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Lease;
import dev.tallyroll.local.DeliveryFaults;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A hundred good counters beside a hundred others, all live: first the others are good and stand
 * still, then their sums are no numbers that could be stored. Events are lost, so that all is the
 * roller's work; leases are written by hand, so that none runs out. Measures both times how long it
 * takes until all good ones show an increment; that it is the same is for a virtual clock to show
 * ({@code PoisonedTest}). Played by {@code deploy/local/long}.
 */
@On(Site.LONE)
final class PoisonedLong {
  private static final int COUNTERS = 100;
  private static final int ROUNDS = 4;
  private static final int LANES = 16;

  /** Just short of what would be taken for damage. */
  private static final Duration LEASE = Lease.LONGEST.minusSeconds(60);

  private final Lab lab;
  private final List<Counter> good;
  private final List<Counter> others;
  private long total = 5;

  PoisonedLong(Lab lab) {
    this.lab = lab;
    this.good = lab.counters(COUNTERS);
    this.others = lab.counters(COUNTERS);
  }

  @AfterEach
  void loseNoMore() {
    lab.cloud().deliveries().inject(DeliveryFaults.NONE);
  }

  @Test
  void hundredPoisonedCounters_keepNoGoodOneFromShowing() throws Exception {
    lab.cloud().deliveries().inject(DeliveryFaults.losingAllEvents());
    forEach(good, this::create);
    forEach(others, this::create);
    var before = shown(others);
    measure();
    var besideGood = measure();

    poisonOthers();
    var besidePoisoned = measure();

    System.out.printf(
        "good counters' lag beside good ones: %s; beside poisoned ones: %s%n",
        besideGood, besidePoisoned);
    assertThat(shown(others)).as("poisoned ones stand still").isEqualTo(before);
  }

  /** Increments each good one, some times; returns how long it takes until all of them show it. */
  private List<Duration> measure() throws Exception {
    var lags = new ArrayList<Duration>();
    for (int i = 0; i < ROUNDS; i++) {
      var increment = Map.<String, Object>of(lab.layout().countField(), FieldValue.increment(1));
      forEach(good, (batch, counter) -> batch.update(counter.shard(0), increment));
      total++;
      long start = System.nanoTime();
      lab.tickUntil(
          "all good ones to show the increment",
          () -> shown(good).stream().allMatch(shown -> shown.count().equals(total)));
      lags.add(Duration.ofMillis((System.nanoTime() - start) / 1_000_000));
    }
    return lags;
  }

  private void create(WriteBatch batch, Counter counter) {
    var until = Timestamp.ofTimeSecondsAndNanos(Instant.now().plus(LEASE).getEpochSecond(), 0);
    batch.set(counter.shard(0), Map.of(lab.layout().countField(), total));
    batch.set(
        counter.rollup(),
        Map.ofEntries(
            Map.entry("counter", lab.layout().counterDocument(counter.path())),
            Map.entry("count", total),
            Map.entry("shards", 1),
            Map.entry("as_of", Timestamp.now()),
            Map.entry("live_until", until),
            Map.entry("live_lane", Math.floorMod(counter.path().hashCode(), LANES))));
  }

  /** NaN, a sum past the integers' range, and an infinity; text counts as nothing in a sum. */
  private void poisonOthers() throws Exception {
    Object[] poisons = {Double.NaN, Long.MAX_VALUE, Double.NEGATIVE_INFINITY};
    var field = lab.layout().countField();
    forEach(
        others,
        (batch, counter) -> {
          var poison = poisons[others.indexOf(counter) % poisons.length];
          batch.set(counter.shard(1), Map.of(field, poison));
          batch.set(counter.shard(2), Map.of(field, "text"));
        });
    var reported = new HashSet<Counter>();
    lab.tickUntil(
        "the roller to report them",
        () -> {
          // Each is reported once, and only the last lines are kept: so look often.
          others.stream().filter(one -> !lab.errorsAbout(one).isEmpty()).forEach(reported::add);
          return reported.size() == COUNTERS;
        });
  }

  private static List<Shown> shown(List<Counter> counters) throws Exception {
    var shown = new ArrayList<Shown>();
    for (var counter : counters) {
      shown.add(counter.shown().orElseThrow());
    }
    return shown;
  }

  /** The same for each, in one batch. */
  private void forEach(List<Counter> counters, BiConsumer<WriteBatch, Counter> write)
      throws Exception {
    var batch = lab.firestore().batch();
    counters.forEach(counter -> write.accept(batch, counter));
    get(batch.commit());
  }
}
