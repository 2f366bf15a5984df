package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.it.TestCounter.Shown;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Old and new functions beside each other, as while {@code deploy} changes the file: what becomes
 * of the totals, as the table of deploy/README says. Both have a cloud of their own, on one
 * database.
 */
@On(Site.SHARED)
@Order(2) // It takes long.
final class ReplacedSettingsIT {
  private static final Layout OLD = new Layout("posts/{post}/shards", "rollups", "count");

  private final OwnProject project;
  private final Firestore firestore;

  ReplacedSettingsIT(LocalCloud others) {
    project = new OwnProject(others);
    firestore = project.firestore();
  }

  @AfterEach
  void close() {
    project.close();
  }

  private LocalCloud start(Layout layout) {
    return start(Site.SHARED.totals(layout), Map.of());
  }

  private LocalCloud start(TestTotals totals, Map<String, String> others) {
    var settings = new HashMap<>(Site.SHARED.settings());
    settings.putAll(totals.settings());
    settings.putAll(others);
    return LocalCloud.start(project.options().settings(settings).schedule(Duration.ZERO));
  }

  private TestCounter counter(Layout layout, LocalCloud cloud) {
    return counter(layout, CounterPath.of(UUID.randomUUID().toString()), cloud);
  }

  private TestCounter counter(Layout layout, CounterPath path, LocalCloud cloud) {
    return new TestCounter(firestore, layout, path, cloud::tick);
  }

  private static void createDocument(TestCounter post) throws Exception {
    get(post.document().set(Map.of("title", "x")));
  }

  private interface Write {
    void make() throws Exception;
  }

  /** Writes shards, and lets only one cloud know. */
  private static void writeBeside(LocalCloud deaf, LocalCloud cloud, Write write) throws Exception {
    await("no event").until(() -> deaf.quiet() && cloud.quiet());
    deaf.deliveries().inject(DeliveryFaults.losingAllEvents());
    long heard = cloud.deliveries().count(Occurrence.DELIVERED);
    long lost = deaf.deliveries().count(Occurrence.EVENT_LOST);
    write.make();
    await("an acknowledged event")
        .until(() -> cloud.deliveries().count(Occurrence.DELIVERED) > heard);
    await("a lost event").until(() -> deaf.deliveries().count(Occurrence.EVENT_LOST) > lost);
    deaf.deliveries().inject(DeliveryFaults.NONE);
  }

  private static void awaitNoRun(LocalCloud cloud) {
    await("no run").until(() -> cloud.runsUnderway() == 0);
  }

  /** Asks for a run, and waits until its function was asked. */
  private static void run(LocalCloud cloud) {
    long before = cloud.messages().count(Occurrence.EVENT);
    cloud.tick();
    await("a message").until(() -> cloud.messages().count(Occurrence.EVENT) > before);
  }

  /** Asks for a run that takes over what is live, and waits until the other has given it up. */
  private static void takeOver(LocalCloud cloud, LocalCloud other) {
    run(cloud);
    awaitNoRun(other);
  }

  /** The old functions are gone. */
  private static void end(LocalCloud older) {
    older.close();
  }

  /** A key that changes what a total is of, and not its place. */
  enum Same {
    SUM(new Layout("posts/{post}/shards", "rollups", "Cnt")),
    OF(new Layout("posts/{post}/parts", "rollups", "count"));

    @SuppressWarnings("ImmutableEnumChecker") // a layout is immutable
    final Layout layout;

    Same(Layout layout) {
      this.layout = layout;
    }
  }

  /** A post that shows its likes, of which the new functions find a hundred times as many. */
  private TestCounter post(LocalCloud cloud, Same setting, long likes) throws Exception {
    var post = counter(OLD, cloud);
    createDocument(post);
    like(post, setting, likes);
    return post;
  }

  private void like(TestCounter post, Same setting, long likes) throws Exception {
    var batch = firestore.batch();
    for (var each : Map.of(OLD, likes, setting.layout, 100 * likes).entrySet()) {
      var shard = firestore.document(each.getKey().shardsCollection(post.path()) + "/0");
      batch.set(shard, Map.of(each.getKey().countField(), each.getValue()), SetOptions.merge());
    }
    get(batch.commit());
  }

  private static void awaitLine(FunctionServer function, String part) {
    await(part).until(() -> function.lastLines().stream().anyMatch(line -> line.contains(part)));
  }

  /**
   * Asks for a sweep and a run, and waits until these, and the events before, have come to nothing.
   */
  private static void comeToNothing(LocalCloud other) {
    long before = other.messages().count(Occurrence.DELIVERED);
    other.sweep();
    other.tick(); // nothing is live
    await("both messages").until(() -> other.messages().count(Occurrence.DELIVERED) >= before + 2);
    awaitLine(other.rollUp(), "without this total's mark");
    awaitLine(other.onShardWritten(), "without this total's mark");
    await("no work").until(() -> other.quiet() && other.runsUnderway() == 0);
    assertThat(other.deliveries().count(Occurrence.RETRIED)).isZero();
    assertThat(other.failedMessages()).isZero();
  }

  private static void assertShows(TestCounter post, long likes) throws Exception {
    assertThat(post.isSettled(likes)).as("%s", post.shown()).isTrue();
    assertThat(shownLikes(post)).isEqualTo(likes);
  }

  private static Object shownLikes(TestCounter post) throws Exception {
    return get(post.document().get()).get("stats.likes");
  }

  private static TestTotals showing(Layout layout) {
    return Site.SHARED.totals(layout).with("into", Map.of("sum", "stats.likes"));
  }

  /**
   * Only those who have made a total write it: another collection of roll-ups is for the others.
   */
  @ParameterizedTest
  @EnumSource
  void totalsWithAnotherMark_areLeftAlone(Same setting) throws Exception {
    try (LocalCloud older = start(showing(OLD), Map.of())) {
      var still = post(older, setting, 2);
      var post = post(older, setting, 3);
      still.awaitSettled(2L);
      post.awaitSettled(3L);
      try (LocalCloud newer = start(showing(setting.layout), Map.of())) {
        writeBeside(older, newer, () -> like(post, setting, 4));
        comeToNothing(newer);
        assertShows(post, 3);
        like(post, setting, 5);
        post.awaitSettled(5L);
        assertShows(post, 5);
        assertShows(still, 2);
      }
    }
  }

  /** Each keeps its own totals: the new ones come with events, and with the sweep. */
  @Test
  void otherRollups_areMadeBesideTheOldOnes() throws Exception {
    var totals = new Layout("posts/{post}/shards", "totals", "count");
    try (LocalCloud older = start(OLD);
        LocalCloud newer = start(totals)) {
      var post = counter(OLD, older);
      var still = counter(OLD, older);
      var bare = counter(OLD, older);
      var newPost = counter(totals, post.path(), newer);
      var newStill = counter(totals, still.path(), newer);
      var newBare = counter(totals, bare.path(), newer);
      createDocument(post);
      createDocument(still);
      for (var each : List.of(post, still, bare)) { // before the new functions are there
        writeBeside(newer, older, () -> each.put(0, 1));
        each.awaitSettled(1L);
      }

      post.put(0, 2);
      post.awaitSettled(2L);
      newPost.awaitSettled(2L);
      assertThat(newStill.shown()).isEmpty();
      writeBeside(newer, older, () -> post.put(0, 3));
      post.awaitSettled(3L);
      assertThat(newPost.isSettled(2L)).isTrue();
      CloudFaults.sweep(newer);
      assertThat(newPost.isSettled(3L)).isTrue();
      newStill.awaitSettled(1L);
      assertThat(newBare.shown()).isEmpty();
      writeBeside(older, newer, () -> post.put(0, 4));
      newPost.awaitSettled(4L);
      assertThat(post.isSettled(3L)).isTrue();

      end(older);
      var last = List.of(post.fields(), still.fields(), bare.fields());
      bare.put(0, 5);
      newBare.awaitSettled(5L);
      CloudFaults.sweep(newer);
      newPost.awaitSettled(4L);
      assertThat(List.of(post.fields(), still.fields(), bare.fields())).isEqualTo(last);
      assertThat(post.isSettled(3L)).isTrue();
    }
  }

  /** Waits until all that is in the shards by now shows. */
  private static void awaitCurrent(TestCounter post) throws Exception {
    long least = post.sumOfShards();
    await("a total of " + least).until(() -> post.shows(least));
  }

  /** In either direction: both work, and whoever writes is right. A poll a minute claims no run. */
  @Test
  void counters_getATrigger() throws Exception {
    var polling = TestTotals.of(OLD).with("events", false).with("every", "PT1M");
    try (LocalCloud older = start(polling, Map.of("LEASE", "PT3M"));
        LocalCloud newer = start(OLD)) {
      var post = counter(OLD, newer);
      post.put(0, 1);
      post.awaitSettled(1L); // by its event
      newer.deliveries().inject(DeliveryFaults.losingAllEvents());
      post.put(0, 2);
      run(older);
      post.awaitTotal(2L); // by a poll
      newer.deliveries().inject(DeliveryFaults.NONE);
      takeOver(newer, older);
      post.put(0, 3);
      post.awaitTotal(3L);
      run(older);
      post.awaitSettled(3L);

      try (var burst = Burst.start(post, 3, 20)) {
        await("a live total").until(() -> post.shown().filter(Shown::isLive).isPresent());
        awaitCurrent(post);
        run(older);
        awaitCurrent(post);
        takeOver(newer, older);
        awaitCurrent(post);
        run(older);
        awaitCurrent(post);
        burst.stop();
      }
      run(newer); // settles the total, even if a busy machine has ended the run before
      post.awaitSettled(post.sumOfShards());

      end(older);
      post.put(0, 1000);
      post.awaitSettled(post.sumOfShards());
    }
  }
}
