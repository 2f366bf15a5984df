package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Lease;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.soak.History.Change;
import dev.tallyroll.local.soak.History.Seen;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A hundred good counters beside a hundred others, all live: first the others are good and stand
 * still, then their sums are no numbers that could be stored. Events are lost, so that all is the
 * roller's work; leases are written by hand, so that none runs out. Measures the good ones' lag
 * both times; that it is the same is for a virtual clock to show ({@code LoadTest}). Played by
 * {@code deploy/local/long}.
 */
@Execution(ExecutionMode.CONCURRENT)
final class PoisonedLong {
  private static final int COUNTERS = 100;
  private static final int ROUNDS = 4;
  private static final int LANES = 16;
  private static final int ANSWER_WITHIN_SECONDS = 60;
  private static final Duration SEEN_WITHIN = Duration.ofMinutes(2);

  private static final Pattern REPORT =
      Pattern.compile("sum is not a number.*\"counter\":\"(other-\\d+)\"");

  /** Longer than a message takes to the function. */
  private static final Duration TICK_AFTER = Duration.ofSeconds(2);

  private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();
  private final Set<String> reported = new HashSet<>();
  private long lastTick = System.nanoTime();
  private LocalCloud cloud;
  private Firestore firestore;

  /** Just short of what would be taken for damage. */
  private static final Duration UNTIL = Lease.LONGEST.minusSeconds(60);

  private ListenerRegistration listener;

  @BeforeEach
  void start() {
    cloud =
        LocalCloud.start(
            new LocalCloudOptions()
                .settings(Map.of("RUN", "PT530S"))
                .faults(DeliveryFaults.losingAllEvents())
                .log(line -> {})
                .unscheduled());
    firestore = cloud.openFirestore();
    listener =
        firestore
            .collection("rollups")
            .addSnapshotListener(
                (rollups, failure) -> {
                  if (rollups != null) {
                    rollups.getDocuments().forEach(this::hear);
                  }
                });
  }

  @AfterEach
  void stop() {
    listener.remove();
    firestore.shutdown();
    cloud.close();
  }

  @Test
  void hundredPoisonedCounters_keepNoGoodOneFromShowing(TestReporter reporter) throws Exception {
    create("good");
    create("other");
    round("warm-up");
    var beside = measure("beside good ones");

    spoil();
    var besidePoisoned = measure("beside poisoned ones");

    var figures =
        "beside good ones: %s; beside poisoned ones: %s".formatted(beside, besidePoisoned);
    reporter.publishEntry("lag", figures);
    System.out.println("good counters' lag " + figures);
    assertThat(besidePoisoned.lags()).hasSize(COUNTERS * ROUNDS);
    assertPoisonedStandStill();
  }

  /** Each round increments every good counter once, and waits until all of them show it. */
  private Freshness measure(String when) throws Exception {
    var all = new Freshness(List.of(), 0);
    for (int i = 0; i < ROUNDS; i++) {
      all = all.plus(round(when));
    }
    return all;
  }

  private Freshness round(String when) throws Exception {
    var batch = firestore.batch();
    for (int i = 0; i < COUNTERS; i++) {
      batch.update(firestore.document(shard("good", i)), "count", FieldValue.increment(1));
    }
    var begun = Instant.now();
    var change = new Change(1, begun, committed(batch));
    await(when + ": all good ones to show the increment", () -> lags(change).never() == 0);
    return lags(change);
  }

  private Freshness lags(Change change) {
    return IntStream.range(0, COUNTERS)
        .mapToObj(i -> List.copyOf(seen.getOrDefault("good-" + i, List.of())))
        .map(list -> Freshness.of(List.of(change), list, Instant.MIN, Instant.MAX))
        .reduce(new Freshness(List.of(), 0), Freshness::plus);
  }

  private void create(String kind) throws Exception {
    var batch = firestore.batch();
    var until = Timestamp.ofTimeSecondsAndNanos(Instant.now().plus(UNTIL).getEpochSecond(), 0);
    for (int i = 0; i < COUNTERS; i++) {
      batch.set(firestore.document(shard(kind, i)), Map.of("count", 5));
      batch.set(
          firestore.document("rollups/" + kind + "-" + i),
          Map.of(
              "counter",
              "counters/" + kind + "-" + i,
              "count",
              5,
              "shards",
              1,
              "as_of",
              Timestamp.now(),
              "live_until",
              until,
              "live_lane",
              i % LANES));
    }
    committed(batch);
  }

  /** NaN, a sum past the integers' range, and an infinity; text counts as nothing in a sum. */
  private void spoil() throws Exception {
    Object[] poisons = {Double.NaN, Long.MAX_VALUE, Double.NEGATIVE_INFINITY};
    var batch = firestore.batch();
    for (int i = 0; i < COUNTERS; i++) {
      batch.set(
          firestore.document("counters/other-" + i + "/shards/1"),
          Map.of("count", poisons[i % poisons.length]));
      batch.set(firestore.document("counters/other-" + i + "/shards/2"), Map.of("count", "text"));
    }
    committed(batch);
    await("the roller to report them", () -> reported() == COUNTERS);
  }

  /** The roller reports each of them once, and only its last lines are kept: so look often. */
  private int reported() {
    for (var line : cloud.rollUp().lastLines()) {
      var found = REPORT.matcher(line);
      if (found.find()) {
        reported.add(found.group(1));
      }
    }
    return reported.size();
  }

  private void assertPoisonedStandStill() {
    for (int i = 0; i < COUNTERS; i++) {
      assertThat(seen.get("other-" + i)).extracting(Seen::count).containsOnly(5L);
    }
  }

  private void hear(DocumentSnapshot rollup) {
    var asOf = rollup.getTimestamp("as_of");
    var count = rollup.getLong("count");
    if (asOf != null && count != null) {
      var list = seen.computeIfAbsent(rollup.getId(), id -> new CopyOnWriteArrayList<>());
      var time = Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos());
      if (list.isEmpty() || !list.get(list.size() - 1).asOf().equals(time)) {
        list.add(new Seen(count, time, Instant.now()));
      }
    }
  }

  private static String shard(String kind, int counter) {
    return "counters/" + kind + "-" + counter + "/shards/0";
  }

  private static Instant committed(WriteBatch batch) throws Exception {
    var result = batch.commit().get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS).get(0);
    var time = result.getUpdateTime();
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  private void await(String expected, BooleanSupplier isSo) throws InterruptedException {
    long end = System.nanoTime() + SEEN_WITHIN.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("expected " + expected + " within " + SEEN_WITHIN);
      }
      keepRolling();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** A run's first calls may take longer than it waits for them, and no clock asks for another. */
  private void keepRolling() {
    if (cloud.runsUnderway() == 0 && System.nanoTime() - lastTick > TICK_AFTER.toNanos()) {
      lastTick = System.nanoTime();
      cloud.tick();
    }
  }
}
