package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.local.Faults;
import dev.tallyroll.local.Operations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody may write one subtree, and forges documents of ours there. They only use a part of the
 * sweep's bounded reads.
 */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class HostileDocumentsIT {
  private static final Timestamp LONG_AGO = Timestamp.parseTimestamp("2001-01-01T00:00:00Z");

  /** In an earlier version, twenty times as many documents stopped every total. */
  private static final int TIMES = Integer.getInteger("hostile.times", 1);

  private static final int SHARDS = 10;
  private static final int PER_SECOND = 20;
  private static final int SWEEP_COUNTERS = 500;

  /** Three reads for each document, and some for the pages. */
  private static final int SWEEP_READS = 3 * SWEEP_COUNTERS + 100;

  private final TestCloud cloud;
  private final String eve = "users/" + UUID.randomUUID();

  HostileDocumentsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  /** Completes the sweep, so that the next test's sweep begins at the start. */
  @AfterEach
  void sweepToTheEnd() throws Exception {
    Faults.sweep(cloud.local());
  }

  /** Forges roll-ups with a lease and a counter's mark, entries of a live list, and runs. */
  @Test
  void forgedDocuments_costARunNothing() throws Exception {
    List<DocumentReference> forged =
        Stream.of(
                forge("rollups", TIMES * 1_000, 0),
                forge("rollup_runs", TIMES * 100, 0),
                forge("rollup_runs/counters/live", TIMES * 100, 0),
                forge("others/large/rollups", TIMES * 5, 1_000_000))
            .flatMap(List::stream)
            .toList();
    long readBefore = cloud.local().readsIn("users");

    burst();

    assertThat(cloud.local().readsIn("users") - readBefore).isZero();
    assertThat(cloud.local().readsIn("rollup_runs")).isPositive(); // such reads are counted
    Operations before = cloud.local().rollUp().operations();
    Faults.sweepPart(cloud.local());
    assertThat(cloud.local().rollUp().operations().minus(before).reads()).isLessThan(SWEEP_READS);
    delete(forged);
  }

  /** Whoever may write one shard writes NaN, again and again; or a server forgets the mark. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void totalThatCannotBeStored_costsALookASecond(boolean poisoned) throws Exception {
    var counter = cloud.counter().create(SHARDS);
    counter.increment(0, 1);
    cloud.settleAll();
    if (poisoned) {
      counter.put(1, Double.NaN);
    } else {
      get(counter.rollup().set(Map.of("count", 5, "revenue", 7)));
    }
    Operations before = cloud.local().onShardWritten().operations();
    long began = System.nanoTime();

    try (var burst = Burst.start(counter, SHARDS, TIMES * 50)) {
      Thread.sleep(TIMES * 5_000L);
      assertThat(burst.stop()).isGreaterThan(30);
    }

    Operations done = cloud.local().onShardWritten().operations().minus(before);
    long most = Duration.ofNanos(System.nanoTime() - began).toSeconds() + 2;
    assertThat(done.sums()).isLessThanOrEqualTo(most);
    assertThat(done.reads()).isLessThanOrEqualTo(most);
    assertThat(done.writes()).isZero();
    get(counter.rollup().delete());
    counter.put(1, 0);
    cloud.settleAll();
  }

  /** Makes one burst, and waits until its total has settled. */
  private void burst() throws Exception {
    var counter = cloud.counter().create(SHARDS);
    cloud.settleAll();
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a lease").until(() -> counter.shown().filter(Counter.Shown::isLive).isPresent());
      await("some ticks").until(() -> counter.shows(2L * PER_SECOND));
      counter.awaitSettled(burst.stop());
    }
  }

  private List<DocumentReference> forge(String collection, int number, int size) throws Exception {
    List<DocumentReference> forged = new ArrayList<>();
    WriteBatch batch = cloud.firestore().batch();
    int atOnce = size > 0 ? 4 : 500;
    for (int i = 0; i < number; i++) {
      var document = cloud.firestore().document(eve + "/" + collection + "/" + i);
      forged.add(document);
      batch.set(
          document,
          Map.of(
              "counter",
              eve + "/counters/" + i,
              "counters",
              cloud.layout().counters(),
              "holder",
              "eve",
              "since",
              Timestamp.now(),
              "until",
              LONG_AGO,
              "live_until",
              LONG_AGO,
              "live_lane",
              0,
              "text",
              "x".repeat(size)));
      if ((i + 1) % atOnce == 0 || i + 1 == number) {
        get(batch.commit());
        batch = cloud.firestore().batch();
      }
    }
    return forged;
  }

  private void delete(List<DocumentReference> documents) throws Exception {
    WriteBatch batch = cloud.firestore().batch();
    documents.forEach(batch::delete);
    get(batch.commit());
  }

  /** The counters' collection holds far more documents of others than a sweep may look at. */
  @Test
  void sweepThatFindsOthersOnly_getsBehindThem() throws Exception {
    var counter = cloud.counter();
    counter.increment(0, 1);
    counter.awaitSettled(1L);
    List<DocumentReference> others = forge("counters", 2 * SWEEP_COUNTERS, 0);
    get(counter.rollup().update("count", 7));

    for (int part = 0; part < 6 && counter.shows(7); part++) {
      Operations before = cloud.local().rollUp().operations();
      Faults.sweepPart(cloud.local());
      assertThat(cloud.local().rollUp().operations().minus(before).reads()).isLessThan(SWEEP_READS);
    }

    assertThat(counter.shown().orElseThrow().count()).isEqualTo(1L);
    assertThat(cloud.local().readsIn("users")).as("a sweep meets them").isPositive();
    delete(others);
  }
}
