package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.Operations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The functions leave documents of others alone under all names that they use, while they work for
 * counters beside these: all fields and update times stay. Somebody who may write one subtree, and
 * forges documents of ours there, only uses a part of the sweep's bounded reads.
 */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
@Tag("core")
final class ForeignDocumentsIT {
  private static final Timestamp LONG_AGO = Timestamp.parseTimestamp("2026-01-01T00:00:00Z");
  private static final Map<String, Object> ALL_FIELDS =
      Map.of("count", 5, "shards", 1, "as_of", LONG_AGO);

  private static final int SHARDS = 10;
  private static final int PER_SECOND = 20;
  private static final int SWEEP_COUNTERS = 500;

  /** Three reads for each document, and some for the pages. */
  private static final int SWEEP_READS = 3 * SWEEP_COUNTERS + 100;

  private final TestCloud cloud;
  private final String id = UUID.randomUUID().toString();

  ForeignDocumentsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  /** Documents in the places of roll-ups without a counter, and of counters, shards and names. */
  private Map<String, Map<String, Object>> foreign() {
    var documents = new LinkedHashMap<String, Map<String, Object>>();
    for (var parent : new String[] {"", "tenants/" + id + "/"}) {
      documents.put(parent + "rollups/none-" + id, Map.of("revenue", 5));
      documents.put(parent + "rollups/some-" + id, Map.of("count", 5, "revenue", 5));
      documents.put(parent + "rollups/all-" + id, ALL_FIELDS);
      documents.put(parent + "rollups/live-" + id, live(Map.of()));
      documents.put(
          parent + "rollups/other-" + id, live(Map.of("counter", parent + "polls/other-" + id)));
      documents.put(parent + "rollups/text-" + id, Map.of("counter", 7, "count", "5"));
      documents.put(parent + "counters/plain-" + id, Map.of("total", 5));
      documents.put(parent + "shards/" + id, Map.of("count", 5));
      documents.put(parent + "increment_names/" + id, Map.of("expire_at", LONG_AGO));
    }
    documents.put("rollup_runs/" + id, Map.of("holder", "app", "until", LONG_AGO));
    return documents;
  }

  /** A document with all fields of a roll-up, and a lease that has ended. */
  private static Map<String, Object> live(Map<String, Object> others) {
    var fields = new LinkedHashMap<>(ALL_FIELDS);
    fields.put("live_until", LONG_AGO);
    fields.putAll(others);
    return fields;
  }

  @Test
  void documentsOfOthers_areLeftAsTheyAre() throws Exception {
    var before = write(foreign());
    var beside = cloud.counter();
    var nested = cloud.counter("tenants/" + id);

    for (int i = 0; i < 5; i++) {
      beside.increment(i % 2, 1);
      nested.increment(i % 2, 2);
    }
    settleAndSweep();
    beside.increment(0, 1);
    settleAndSweep();

    assertThat(read(before.keySet())).isEqualTo(before);
    beside.awaitSettled(6L);
    nested.awaitSettled(10L);
    assertThat(beside.fields()).containsEntry("counter", mark(beside));
  }

  private void settleAndSweep() throws Exception {
    cloud.settleAll();
    CloudFaults.sweep(cloud.local());
  }

  /** The mark is unknown, or that of a counter with the same name in another deployment. */
  @ParameterizedTest
  @ValueSource(strings = {"none", "polls"})
  void rollupWithoutOurMark_isReportedAndLeftUntilItIsHandedOver(String others) throws Exception {
    var counter = cloud.counter();
    var before = write(Map.of(counter.rollup().getPath(), live(markOf(others, counter))));

    counter.increment(0, 3);
    counter.increment(1, 4);
    await("a report").until(() -> !cloud.errorsAbout(counter).isEmpty());
    settleAndSweep();

    assertThat(read(before.keySet())).isEqualTo(before);
    get(counter.rollup().update("counter", mark(counter), "total_of", cloud.layout().totalOf()));
    counter.increment(0, 1);
    counter.awaitTotal(8L);
    CloudFaults.sweep(cloud.local()); // ends the lease, which has no entry in the live list
    counter.awaitSettled(8L);
    assertThat(counter.fields()).containsEntry("revenue", 5L);

    counter.delete();

    counter.awaitSettled(0L); // with the mark, or the place would be somebody else's for ever
    assertThat(counter.fields())
        .containsEntry("revenue", 5L)
        .containsEntry("counter", mark(counter));
    counter.increment(0, 2);
    counter.awaitSettled(2L);
  }

  private static Map<String, Object> markOf(String collection, TestCounter counter) {
    return collection.equals("none")
        ? Map.of("revenue", 5)
        : Map.of("revenue", 5, "counter", collection + "/" + counter.path().id());
  }

  @Test
  void runDocumentOfOthers_isLeftAlone() throws Exception {
    cloud.awaitIdle();
    var run = Layout.runDocument(cloud.site().deployment(), "0");
    var before = write(Map.of(run, Map.of("mine", 5)));
    var counter = cloud.counter();

    counter.increment(0, 1);
    counter.increment(0, 1);
    cloud.tickUntil("a settled total", () -> counter.isSettled(2L));

    assertThat(read(before.keySet())).isEqualTo(before);
    get(cloud.firestore().document(run).delete());
  }

  private String mark(TestCounter counter) {
    return cloud.layout().counterDocument(counter.path());
  }

  private Map<String, Map<String, Object>> write(Map<String, Map<String, Object>> documents)
      throws Exception {
    for (var document : documents.entrySet()) {
      get(cloud.firestore().document(document.getKey()).set(document.getValue()));
    }
    return read(documents.keySet());
  }

  /** Reads all fields and the update time of each document. */
  private Map<String, Map<String, Object>> read(Iterable<String> paths) throws Exception {
    var all = new LinkedHashMap<String, Map<String, Object>>();
    for (var path : paths) {
      var document = get(cloud.firestore().document(path).get());
      var fields = new LinkedHashMap<>(Objects.requireNonNull(document.getData(), path));
      fields.put("update time", Objects.requireNonNull(document.getUpdateTime()));
      all.put(path, fields);
    }
    return all;
  }

  /** Forges roll-ups with a lease and a counter's mark, entries of a live list, and runs. */
  @Test
  void forgedDocuments_costARunNothing() throws Exception {
    List<DocumentReference> forged =
        Stream.of(
                forge("rollups", 1_000, 0),
                forge("rollup_runs", 100, 0),
                forge(Layout.liveList(cloud.site().deployment()), 100, 0),
                forge("others/large/rollups", 5, 1_000_000))
            .flatMap(List::stream)
            .toList();
    long readBefore = cloud.local().readsIn("users");

    var counter = cloud.counter().create(SHARDS);
    cloud.settleAll();
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a lease").until(() -> counter.shown().filter(TestCounter.Shown::isLive).isPresent());
      await("some ticks").until(() -> counter.shows(2L * PER_SECOND));
      counter.awaitSettled(burst.stop());
    }

    assertThat(cloud.local().readsIn("users") - readBefore).isZero();
    assertThat(cloud.local().readsIn("rollup_runs")).isPositive(); // such reads are counted
    Operations before = cloud.local().rollUp().operations();
    CloudFaults.sweepPart(cloud.local());
    assertThat(cloud.local().rollUp().operations().minus(before).reads()).isLessThan(SWEEP_READS);
    CloudFaults.sweep(cloud.local()); // the next test's sweep begins at the start
    for (var deletion : forged.stream().map(DocumentReference::delete).toList()) {
      get(deletion);
    }
  }

  private List<DocumentReference> forge(String collection, int number, int size) throws Exception {
    List<DocumentReference> forged = new ArrayList<>();
    WriteBatch batch = cloud.firestore().batch();
    int atOnce = size > 0 ? 4 : 500;
    for (int i = 0; i < number; i++) {
      var document = cloud.firestore().document("users/" + id + "/" + collection + "/" + i);
      forged.add(document);
      batch.set(
          document,
          Map.of(
              "counter",
              "users/" + id + "/counters/" + i,
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
