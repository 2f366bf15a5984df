package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.Precondition;
import com.google.common.net.HostAndPort;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Old and new instances beside each other, as while {@code deploy} changes COUNT_FIELD. Both have a
 * cloud of their own, on one database. Each shard has both fields, and in the new one a hundred
 * times as much.
 */
@On(Site.SHARED)
final class ReplacedSettingsIT {
  private static final Layout LAYOUT =
      new Layout("posts", "shards", "rollups", "rollup_runs", "count");

  private final String emulator;
  private final Firestore firestore;

  /** Has its own project in the emulator of others. */
  ReplacedSettingsIT(LocalCloud others) {
    emulator = others.firestoreHost();
    firestore =
        FirestoreOptions.newBuilder()
            .setProjectId("demo-replaced")
            .setEmulatorHost(emulator)
            .build()
            .getService();
  }

  @AfterEach
  void close() throws Exception {
    firestore.close();
  }

  private LocalCloud start(String countField) {
    var settings = new HashMap<>(Site.SHARED.settings());
    settings.putAll(
        Map.of("COUNTERS", "posts", "COUNT_FIELD", countField, "TOTAL_FIELD", "stats.likes"));
    return LocalCloud.start(
        new LocalCloudOptions()
            .project("demo-replaced")
            .attached(Optional.of(HostAndPort.fromString(emulator)))
            .settings(settings)
            .schedule(Duration.ZERO)
            .log(line -> {}));
  }

  private TestCounter post(LocalCloud cloud, long likes) throws Exception {
    var path = CounterPath.of(UUID.randomUUID().toString());
    var post = new TestCounter(firestore, LAYOUT, path, cloud::tick);
    get(post.document().set(Map.of("title", "x")));
    like(post, likes);
    return post;
  }

  private static void like(TestCounter post, long likes) throws Exception {
    post.write("0", Map.of("count", likes, "Cnt", 100 * likes));
  }

  /** As {@code deploy} does, unless somebody else has written meanwhile. */
  private void replaceSettings() throws Exception {
    var document = firestore.document(LAYOUT.settingsDocument());
    Map<String, Object> fields =
        Map.of(
            "counters", LAYOUT.counters(),
            "shards_collection", LAYOUT.shards(),
            "rollups_collection", LAYOUT.rollups(),
            "count_field", "Cnt");
    var version = get(document.get()).getUpdateTime();
    get(document.update(fields, Precondition.updatedAt(version)));
  }

  /** Writes a shard, and lets only one cloud know. */
  private static void likeBeside(LocalCloud deaf, LocalCloud cloud, TestCounter post, long likes)
      throws Exception {
    deaf.deliveries().inject(DeliveryFaults.losingAllEvents());
    long heard = cloud.deliveries().count(Occurrence.DELIVERED);
    long lost = deaf.deliveries().count(Occurrence.EVENT_LOST);
    like(post, likes);
    await("an acknowledged event")
        .until(() -> cloud.deliveries().count(Occurrence.DELIVERED) > heard);
    await("a lost event").until(() -> deaf.deliveries().count(Occurrence.EVENT_LOST) > lost);
    deaf.deliveries().inject(DeliveryFaults.NONE);
  }

  private static void awaitLine(FunctionServer function, String part) {
    await(part).until(() -> function.lastLines().stream().anyMatch(line -> line.contains(part)));
  }

  /** Asks for a sweep and a run, and waits until these, and the events before, were refused. */
  private static void refuse(LocalCloud other) {
    other.sweep();
    awaitLine(other.rollUp(), "so this instance writes nothing");
    other.tick(); // nothing is live
    awaitLine(other.onShardWritten(), "so this instance writes nothing");
    await("no work").until(() -> other.quiet() && other.runsUnderway() == 0);
    assertThat(other.deliveries().count(Occurrence.RETRIED)).isZero();
    assertThat(other.failedMessages()).isZero();
  }

  private static void assertShows(TestCounter post, long likes) throws Exception {
    assertThat(post.isSettled(likes)).as("%s", post.shown()).isTrue();
    assertThat(get(post.document().get()).get("stats.likes")).isEqualTo(likes);
  }

  /** Not even a sum. */
  private static void assertHasOnlyRead(LocalCloud cloud, Operations begun) {
    Operations since = cloud.operations().minus(begun);
    assertThat(since).isEqualTo(new Operations(since.reads(), 0, 0, 0));
  }

  @Test
  void totals_areMadeWithTheStoredSettingsOnly() throws Exception {
    try (LocalCloud older = start("count")) {
      var still = post(older, 2);
      var post = post(older, 3);
      still.awaitSettled(2L);
      post.awaitSettled(3L);
      try (LocalCloud newer = start("Cnt")) {
        Operations begun = newer.operations();
        likeBeside(older, newer, post, 4);
        refuse(newer);
        assertShows(post, 3);
        like(post, 5);
        post.awaitSettled(5L);
        assertShows(post, 5);
        assertShows(still, 2);
        assertHasOnlyRead(newer, begun);

        await("no run").until(() -> older.runsUnderway() == 0);
        replaceSettings();
        older.onShardWritten().restart(); // else it believes what it has read for a minute
        begun = older.operations();
        CloudFaults.sweep(newer);
        assertShows(post, 500);
        assertShows(still, 200);
        likeBeside(newer, older, post, 6);
        refuse(older);
        assertShows(post, 500);
        assertShows(still, 200);
        like(post, 7);
        post.awaitTotal(700L);
        assertHasOnlyRead(older, begun);
      }
    }
  }
}
