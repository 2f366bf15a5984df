package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.TransactionOptions;
import com.google.cloud.firestore.WriteResult;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The functions in the place of Firebase's extension firestore-counter, with clients that write as
 * the extension's do, and what its own tests promise to an app.
 */
@On(Site.SHARED)
@Execution(ExecutionMode.SAME_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(2) // It takes long.
@Tag("core")
final class FoldIT {
  private static final Map<String, String> SETTINGS =
      Map.of("FOLD", "PT0.5S", "FOLD_DOCUMENTS", "pages/{page}", "LEASE", "PT1.5S", "BURST", "5");

  private final Queue<String> printed = new ConcurrentLinkedQueue<>();
  private final OwnProject project;
  private final LocalCloud cloud;
  private final Firestore firestore;

  FoldIT(LocalCloud others) throws Exception {
    project = new OwnProject(others);
    firestore = project.firestore();
    cloud =
        LocalCloud.start(
            project
                .options()
                .settings(SETTINGS)
                .schedule(Duration.ofSeconds(3))
                .printed(printed::add));
  }

  /** A client of the extension: each instance of an app has a shard of its own, in any document. */
  private record Client(String id) {
    Client() {
      this(UUID.randomUUID().toString());
    }

    DocumentReference shard(DocumentReference page) {
      return page.collection("_counter_shards_").document(id);
    }

    /** Increments a field, by its path, which may be nested. */
    ApiFuture<WriteResult> increment(DocumentReference page, String field, long by) {
      Object value = FieldValue.increment(by);
      List<String> names = List.of(field.split("\\."));
      for (int i = names.size() - 1; i > 0; i--) {
        value = Map.of(names.get(i), value);
      }
      return shard(page).set(Map.of(names.get(0), value), SetOptions.merge());
    }
  }

  private static long number(Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  private DocumentReference page() {
    return firestore.collection("pages").document(UUID.randomUUID().toString());
  }

  private Map<String, Object> data(DocumentReference page) throws Exception {
    Map<String, Object> data = get(page.get()).getData();
    return data == null ? Map.of() : data;
  }

  private void awaitData(DocumentReference page, Map<String, Object> expected) {
    await("the document").untilAsserted(() -> assertThat(data(page)).isEqualTo(expected));
  }

  private static DocumentReference shard(DocumentReference page, String id) {
    return page.collection("_counter_shards_").document(id);
  }

  private int shards(DocumentReference page) throws Exception {
    return get(page.collection("_counter_shards_").get()).size();
  }

  /** The document's number and those of its shards, at one time. */
  private long exact(DocumentReference page, String field) throws Exception {
    return get(
        firestore.runTransaction(
            transaction -> {
              long sum = number(transaction.get(page).get().get(field));
              for (var shard : transaction.get(page.collection("_counter_shards_")).get()) {
                sum += number(shard.get(field));
              }
              return sum;
            },
            TransactionOptions.createReadOnlyOptionsBuilder().build()));
  }

  @BeforeAll
  void othersSettings_areNoneOfAFolds() throws Exception {
    var page = page();
    get(new Client().increment(page, "visits", 1));
    awaitData(page, Map.of("visits", 1L));
    assertThat(printed).noneMatch(line -> line.contains("totals were made with other settings"));
  }

  @AfterAll
  void close() {
    project.close();
    cloud.close();
  }

  @Test
  void severalAndNestedFields_areAddedToTheDocumentThatIsThere() throws Exception {
    var page = page();
    get(page.set(Map.of("title", "Hello", "visits", 10, "stats", Map.of("likes", 2, "kept", "x"))));
    var client = new Client();
    get(client.increment(page, "visits", 1));
    get(client.increment(page, "stats.likes", 2));
    get(new Client().increment(page, "stats.new", -3));

    awaitData(
        page,
        Map.of(
            "title",
            "Hello",
            "visits",
            11L,
            "stats",
            Map.of("likes", 4L, "kept", "x", "new", -3L)));
    await("no shards").until(() -> shards(page) == 0);
  }

  @Test
  void busyDocument_isFoldedAllTheTimeAndExactInEverySnapshot() throws Exception {
    var page = page();
    var clients = Stream.generate(Client::new).limit(10).toList();
    var shown = new CopyOnWriteArrayList<Long>();
    var registration =
        page.addSnapshotListener(
            (found, failure) -> {
              if (found != null) {
                shown.add(number(found.get("visits")));
              }
            });
    List<ApiFuture<WriteResult>> increments = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      increments.add(clients.get(i % clients.size()).increment(page, "visits", 1));
      Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(20)); // the load: 50 a second
      if (i % 10 == 0) {
        long before = increments.stream().filter(ApiFuture::isDone).count();
        assertThat(exact(page, "visits")).isBetween(before, (long) increments.size());
      }
    }
    for (var increment : increments) {
      get(increment);
    }

    assertThat(exact(page, "visits")).isEqualTo(200);
    awaitData(page, Map.of("visits", 200L));
    registration.remove();
    assertThat(shown).isSorted().hasSizeGreaterThan(3);
    await("no shards").until(() -> shards(page) == 0);
    await("an empty live list")
        .until(() -> get(firestore.collection("rollup_runs/fold/live").get()).isEmpty());
  }

  @Test
  void valuesThatAreNoNumbers_stayAndStopNothing() throws Exception {
    var page = page();
    var healthy = page();
    get(page.set(Map.of("title", "Hello", "visits", 1)));
    Map<String, Object> bad = new HashMap<>(Map.of("visits", Double.NaN, "likes", 1, "text", "1"));
    bad.put("title", 5);
    get(shard(page, "bad").set(bad));
    get(shard(page, "good").set(Map.of("visits", 2)));
    get(new Client().increment(healthy, "visits", 1));

    awaitData(page, Map.of("title", "Hello", "visits", 3L, "likes", 1L));
    awaitData(healthy, Map.of("visits", 1L));
    await("the rest")
        .untilAsserted(
            () ->
                assertThat(data(shard(page, "bad")))
                    .isEqualTo(Map.of("visits", Double.NaN, "text", "1", "title", 5L)));
    await("a line for each value that stays")
        .untilAsserted(
            () ->
                assertThat(printed)
                    .filteredOn(line -> line.contains(page.getPath()))
                    .anyMatch(line -> line.contains("\"field\":\"visits\"") && line.contains("NaN"))
                    .anyMatch(line -> line.contains("\"field\":\"title\""))
                    .anyMatch(line -> line.contains("\"field\":\"text\"")));
  }

  private static Map<String, Object> partial(Object... data) {
    return Map.of(
        "_updates_",
        Stream.of(data)
            .map(fields -> Map.of("_id_", UUID.randomUUID().toString(), "_data_", fields))
            .toList());
  }

  /**
   * A busy extension leaves them at nearly all times. A sum of the shards, which a roll-up shows,
   * has lost what they hold.
   */
  @Test
  void partials_countAsWell() throws Exception {
    var page = page();
    get(page.set(Map.of("visits", 1_000)));
    var batch = firestore.batch();
    batch.set(
        shard(page, "\t\t012"),
        partial(Map.of("visits", 400, "stats", Map.of("likes", 5)), Map.of("visits", -100)));
    batch.set(shard(page, "0123"), Map.of("visits", 1));
    get(batch.commit());

    awaitData(page, Map.of("visits", 1_301L, "stats", Map.of("likes", 5L)));
  }

  /** The extension, or another deployment of this: each increment is still moved once. */
  @Test
  void anotherFolder_movesNothingTwice() throws Exception {
    var page = page();
    var clients = Stream.generate(Client::new).limit(5).toList();
    List<ApiFuture<WriteResult>> increments = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      increments.add(clients.get(i % clients.size()).increment(page, "visits", 1));
      if (i % 5 == 0) {
        foldAsTheExtension(page);
      }
    }
    for (var increment : increments) {
      get(increment);
    }
    foldAsTheExtension(page);

    awaitData(page, Map.of("visits", 100L));
  }

  /** A transaction that reads the shards and the document, sets the field, deletes the shards. */
  private void foldAsTheExtension(DocumentReference page) throws Exception {
    get(
        firestore.runTransaction(
            transaction -> {
              var shards = transaction.get(page.collection("_counter_shards_")).get();
              long sum = number(transaction.get(page).get().get("visits"));
              for (var shard : shards) {
                sum += number(shard.get("visits"));
                transaction.delete(shard.getReference());
              }
              return transaction.set(page, Map.of("visits", sum), SetOptions.merge());
            }));
  }

  /**
   * Whoever may write a shard would else make the functions write the document above it, with a
   * server's rights: make an administrator, stop all runs, or spoil a total for its readers.
   */
  @Test
  void shardsBelowOtherDocuments_areLeft() throws Exception {
    var page = page();
    String list = "rollup_runs/fold/live/";
    List<DocumentReference> forged =
        Stream.of(
                "admins/" + page.getId(),
                list + "run-0",
                list + page.getId(),
                "rollups/" + page.getId(),
                "counters/" + page.getId() + "/shards/0",
                page.getPath() + "/_counter_shards_/deep",
                page.getPath() + "/comments/first")
            .map(firestore::document)
            .toList();
    for (var document : forged) {
      for (int i = 0; i < 6; i++) { // more than a burst
        get(shard(document, "forged-" + i).set(Map.of("visits", 1)));
      }
    }
    get(new Client().increment(page, "visits", 1));
    awaitData(page, Map.of("visits", 1L));

    await("a sweep").until(this::hasSwept);
    for (var document : forged) {
      assertThat(data(document)).as(document.getPath()).doesNotContainKey("visits");
      assertThat(shards(document)).as(document.getPath()).isEqualTo(6);
      assertThat(get(entry(document).get()).exists()).isFalse();
    }
  }

  private DocumentReference entry(DocumentReference document) {
    return firestore.document("rollup_runs/fold/live/" + Layout.liveId(document.getPath()));
  }

  /** Asks for a sweep, and returns whether one has come to its end since. */
  private boolean hasSwept() {
    long before = sweeps();
    cloud.sweep();
    await("the end of a sweep").until(() -> sweeps() > before);
    return true;
  }

  private long sweeps() {
    return printed.stream()
        .filter(
            line ->
                line.contains("\"message\":\"sweep\"") && line.contains("\"complete\":\"true\""))
        .count();
  }

  /** Clients of a sharded counter write no other shards than these. */
  @Test
  void shardsOfAShardedCounter_stay() throws Exception {
    var counter = page();
    get(counter.set(Map.of("num_shards", 3)));
    for (int i = 0; i < 3; i++) {
      get(shard(counter, "" + i).set(Map.of("count", 5)));
    }
    var page = page();
    get(new Client().increment(page, "visits", 1));
    awaitData(page, Map.of("visits", 1L));

    await("a sweep").until(this::hasSwept);
    assertThat(data(counter)).isEqualTo(Map.of("num_shards", 3L));
    assertThat(shards(counter)).isEqualTo(3);
    assertThat(printed)
        .anyMatch(
            line ->
                line.contains(counter.getPath()) && line.contains("shard of a sharded counter"));
  }

  /**
   * The extension does the same: an app sorts by the field, and would miss documents without it.
   */
  @Test
  void sumOfZero_makesTheField() throws Exception {
    var page = page();
    get(new Client().increment(page, "visits", 0));
    awaitData(page, Map.of("visits", 0L));
  }
}
