package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.local.Faults;
import dev.tallyroll.local.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Somebody may write one subtree, and forges documents of ours there. They only use a part of the
 * sweep's bounded reads.
 */
@On(Site.LONE)
@Order(1) // Five classes take the longest.
final class HostileDocumentsIT {
  private static final Timestamp LONG_AGO = Timestamp.parseTimestamp("2001-01-01T00:00:00Z");

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

  /** Forges roll-ups with a lease and a counter's mark, entries of a live list, and runs. */
  @Test
  void forgedDocuments_costARunNothing() throws Exception {
    List<DocumentReference> forged =
        Stream.of(
                forge("rollups", 1_000, 0),
                forge("rollup_runs", 100, 0),
                forge("rollup_runs/counters/live", 100, 0),
                forge("others/large/rollups", 5, 1_000_000))
            .flatMap(List::stream)
            .toList();
    long readBefore = cloud.local().readsIn("users");

    var counter = cloud.counter().create(SHARDS);
    cloud.settleAll();
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a lease").until(() -> counter.shown().filter(Counter.Shown::isLive).isPresent());
      await("some ticks").until(() -> counter.shows(2L * PER_SECOND));
      counter.awaitSettled(burst.stop());
    }

    assertThat(cloud.local().readsIn("users") - readBefore).isZero();
    assertThat(cloud.local().readsIn("rollup_runs")).isPositive(); // such reads are counted
    Operations before = cloud.local().rollUp().operations();
    Faults.sweepPart(cloud.local());
    assertThat(cloud.local().rollUp().operations().minus(before).reads()).isLessThan(SWEEP_READS);
    Faults.sweep(cloud.local()); // the next test's sweep begins at the start
    for (var document : forged) {
      get(document.delete());
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
}
