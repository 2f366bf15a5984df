package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteResult;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One pair of functions keeps the totals of a file with several entries. */
@On(Site.SHARED)
@Order(2) // It takes long.
final class EntriesIT {
  private static final String LIKES =
      """
      "likes": {"of": "posts/{post}/likes", "into": {"count": "likes"}}""";
  private static final String COMMENTS =
      """
      "comments": {"of": "posts/{p}/comments", "into": {"count": "stats.comments"}}""";
  private static final String RATINGS =
      """
      "ratings": {
        "of": "products/{product}/reviews", "sum": "review.stars",
        "into": {"sum": "stars", "count": "reviews", "average": "rating"}
      }""";
  private static final String MEMBERS =
      """
      "members": {"of": "groups/{group}/members", "into": {"count": "members"}, "every": "PT5S"}""";
  private static final String HITS =
      """
      "hits": {"of": "pages/{page}/hits", "events": false, "every": "PT1S"}""";
  private static final String COUNTERS =
      """
      "counters": {"of": "rooms/{room}/counters/{counter}/shards", "sum": "count"}""";

  /** Changes of each kind, in ten seconds. */
  private static final int MANY = 200;

  private final OwnProject project;
  private final Firestore firestore;

  EntriesIT(LocalCloud others) {
    project = new OwnProject(others);
    firestore = project.firestore();
  }

  @AfterEach
  void close() {
    project.close();
  }

  /** With leases that end soon, but for {@code every}. */
  private LocalCloud start(String... entries) {
    return start(Map.of(), entries);
  }

  private LocalCloud start(Map<String, String> others, String... entries) {
    Map<String, String> settings = new HashMap<>(others);
    settings.put("TOTALS", "{" + String.join(", ", entries) + "}");
    return LocalCloud.start(options(settings).schedule(Duration.ofSeconds(3)));
  }

  private LocalCloudOptions options(Map<String, String> settings) {
    return project.options().settings(settings);
  }

  private DocumentReference made(String document) throws Exception {
    var made = firestore.document(document);
    get(made.set(Map.of("title", "x"), SetOptions.merge()));
    return made;
  }

  private void write(String document, Map<String, Object> fields) throws Exception {
    get(firestore.document(document).set(fields));
  }

  private void delete(String document) throws Exception {
    get(firestore.document(document).delete());
  }

  private ApiFuture<WriteResult> increment(String shard) {
    return firestore
        .document(shard)
        .set(Map.of("count", FieldValue.increment(1)), SetOptions.merge());
  }

  private DocumentSnapshot read(String document) throws Exception {
    return get(firestore.document(document).get());
  }

  private void awaitShown(String document, String field, @Nullable Object value) {
    await(field + " of " + document + " to be " + value)
        .untilAsserted(() -> assertThat(read(document).get(field)).isEqualTo(value));
  }

  private void awaitSettled(LocalCloud cloud, String rollup) {
    await("no lease of " + rollup)
        .until(
            () -> {
              if (cloud.runsUnderway() == 0) {
                cloud.tick();
              }
              return read(rollup).get("live_until") == null;
            });
  }

  @Test
  @Tag("core")
  void sixEntries_areRightAfterWritesToEach() throws Exception {
    try (LocalCloud cloud = start(LIKES, COMMENTS, RATINGS, MEMBERS, HITS, COUNTERS)) {
      for (String document : List.of("posts/p", "products/p", "groups/p", "pages/p")) {
        made(document);
      }
      for (int i = 0; i < 10; i++) {
        write("posts/p/likes/u" + i, Map.of());
        write("posts/p/comments/c" + i, Map.of("text", "x"));
        write("products/p/reviews/u" + i, Map.of("review", Map.of("stars", i % 5 + 1)));
        write("groups/p/members/u" + i, Map.of());
        write("pages/p/hits/h" + i, Map.of());
        get(increment("rooms/r/counters/p/shards/" + i % 3));
      }
      delete("posts/p/likes/u0");
      delete("groups/p/members/u0");
      write("products/p/reviews/u0", Map.of("text", "no stars any more"));

      awaitShown("posts/p", "likes", 9L);
      awaitShown("posts/p", "stats.comments", 10L);
      awaitShown("products/p", "stars", 29L);
      awaitShown("products/p", "reviews", 9L);
      awaitShown("products/p", "rating", 29 / 9.0);
      awaitShown("groups/p", "members", 9L);
      awaitShown("hits_rollups/p", "count", 10L);
      awaitShown("rooms/r/rollups/p", "count", 10L);
      assertThat(read("posts/p").get("title")).isEqualTo("x");
      assertThat(read("likes_rollups/p").get("total_of")).isEqualTo("number of posts/{1}/likes");
      assertThat(read("comments_rollups/p").get("count")).isEqualTo(10L);

      CloudFaults.sweep(cloud);
      assertThat(cloud.complaints()).noneMatch(line -> line.contains("another mark"));
      assertThat(read("posts/p").get("likes")).isEqualTo(9L);
    }
  }

  /** The counted documents are in another place than the documents that show the totals. */
  @Test
  @Tag("core")
  void totalsOfDocumentsElsewhere_areThere() throws Exception {
    String followers =
        """
        "followers": {
          "of": "users/{user}/followers", "document": "profiles/{user}", "into": {"count": "fans"}
        }""";
    String seats =
        """
        "seats": {
          "of": "teams/{team}/rooms/{room}/seats", "document": "rooms/{room}/teams/{team}",
          "sum": "places"
        }""";
    String clicks =
        """
        "clicks": {
          "of": "pages/{page}/clicks", "document": "sites/{page}", "into": {"count": "clicks"},
          "events": false
        }""";
    for (String document : List.of("profiles/ann", "users/ann", "sites/p")) {
      made(document);
    }
    write("users/ann/followers/lost", Map.of()); // before there are functions
    try (LocalCloud cloud = start(followers, seats, clicks)) {
      CloudFaults.sweep(cloud);
      awaitShown("profiles/ann", "fans", 1L);
      for (int i = 0; i < 10; i++) {
        write("users/ann/followers/u" + i, Map.of());
        write("teams/t/rooms/r/seats/s" + i, Map.of("places", i));
        write("pages/p/clicks/c" + i, Map.of());
      }

      awaitShown("profiles/ann", "fans", 11L);
      awaitShown("rooms/r/seats_rollups/t", "count", 45L);
      awaitShown("sites/p", "clicks", 10L);
      assertThat(read("users/ann").getData()).isEqualTo(Map.of("title", "x"));
      assertThat(read("profiles_rollups/ann").exists()).isFalse();
      assertThat(read("followers_rollups/ann").get("total_of"))
          .isEqualTo("number of users/{1}/followers for profiles/{1}");
      assertThat(read("rooms/r/seats_rollups/t").get("total_of"))
          .isEqualTo("sum of places in teams/{1}/rooms/{2}/seats for rooms/{2}/teams/{1}");
      for (int i = 0; i < 10; i++) {
        delete("pages/p/clicks/c" + i);
      }
      awaitShown("sites/p", "clicks", 0L);
      delete("profiles/ann");
      CloudFaults.sweep(cloud);
      assertThat(cloud.complaints()).noneMatch(line -> line.contains("another mark"));
      assertThat(read("profiles/ann").exists()).isFalse();
    }
  }

  /**
   * Published comments; open tickets at the root, by team; users in all; stars from one to five,
   * each an entry over one collection; and a chain of totals.
   */
  @Test
  @Tag("core")
  void conditionsAndFields_sayWhatCountsAndWhere() throws Exception {
    List<String> entries = new ArrayList<>();
    entries.add(
        """
        "comments": {
          "of": "posts/{post}/comments", "where": {"state": "published", "by.bot": false},
          "into": {"count": "comments"}
        }""");
    entries.add(
        """
        "open": {
          "of": "tickets", "where": {"open": true}, "document": "teams/{teamId}",
          "into": {"count": "openTickets"}
        }""");
    entries.add(
        """
        "effort": {"of": "tickets", "sum": "hours", "document": "teams/{teamId}"}""");
    entries.add(
        """
        "users": {"of": "users", "document": "stats/app", "into": {"count": "users"}}""");
    entries.add(
        """
        "teams": {
          "of": "teams", "sum": "openTickets", "document": "stats/app", "into": {"sum": "open"}
        }""");
    for (int stars = 1; stars <= 5; stars++) {
      entries.add(
          """
          "stars-%1$d": {
            "of": "products/{product}/reviews", "where": {"stars": %1$d},
            "into": {"count": "stars.s%1$d"}
          }"""
              .formatted(stars));
    }
    for (String document :
        List.of("posts/p", "teams/red", "teams/blue", "stats/app", "products/p")) {
      made(document);
    }
    try (LocalCloud cloud = start(entries.toArray(String[]::new))) {
      for (int i = 0; i < 6; i++) {
        boolean isPublished = i < 4;
        write(
            "posts/p/comments/c" + i,
            Map.of("state", isPublished ? "published" : "draft", "by", Map.of("bot", i == 0)));
        write("tickets/t" + i, Map.of("teamId", i < 4 ? "red" : "blue", "open", i > 0, "hours", i));
        write("users/u" + i, Map.of("name", "x"));
        write(
            "products/p/reviews/u" + i, Map.of("stars", i == 5 ? (Number) 1.0 : (Number) (i + 1)));
      }
      write("tickets/stray", Map.of("teamId", "a/b", "open", true, "hours", 9));
      write("tickets/nobody", Map.of("teamId", "nobody", "open", true, "hours", 9));

      awaitShown("posts/p", "comments", 3L);
      awaitShown("teams/red", "openTickets", 3L);
      awaitShown("teams/blue", "openTickets", 2L);
      awaitShown("effort_rollups/red", "count", 6L);
      awaitShown("stats/app", "users", 6L);
      awaitShown("stats/app", "open", 5L);
      awaitShown("products/p", "stars.s1", 2L);
      for (int stars = 2; stars <= 5; stars++) {
        awaitShown("products/p", "stars.s" + stars, 1L);
      }

      get(firestore.document("tickets/t1").update("teamId", "blue"));
      get(firestore.document("tickets/t2").update("open", false));
      get(firestore.document("posts/p/comments/c5").update("state", "published"));
      write("products/p/reviews/u4", Map.of("stars", 1));
      delete("users/u0");
      awaitShown("teams/red", "openTickets", 1L);
      awaitShown("teams/blue", "openTickets", 3L);
      awaitShown("effort_rollups/red", "count", 5L);
      awaitShown("effort_rollups/blue", "count", 10L);
      awaitShown("posts/p", "comments", 4L);
      awaitShown("products/p", "stars.s5", 0L);
      awaitShown("products/p", "stars.s1", 3L);
      awaitShown("stats/app", "users", 5L);
      awaitShown("stats/app", "open", 4L);

      CloudFaults.sweep(cloud);
      assertThat(read("effort_rollups/nobody").exists())
          .as("of a group that is not there")
          .isFalse();
      assertThat(read("open_rollups/nobody").exists()).isFalse();
      assertThat(read("open_rollups/red").get("total_of"))
          .isEqualTo("number of tickets where open = true and teamId = {1} for teams/{1}");
      assertThat(cloud.complaints())
          .anyMatch(line -> line.contains("belongs to nobody"))
          .noneMatch(line -> line.contains("another mark"));
      made("teams/nobody");
      CloudFaults.sweep(cloud);
      awaitShown("teams/nobody", "openTickets", 1L);
      awaitShown("effort_rollups/nobody", "count", 9L);
    }
  }

  /**
   * Whoever may write documents may invent teams: each costs two reads and a sum at most, and
   * leaves nothing. {@code -Dinvented.teams} sets how many there are. Each region has a hundred,
   * since the emulator reads all documents of a collection for each sum.
   */
  @Test
  @Tag("core")
  void inventedTeams_costReadsOnlyAndStopNobody() throws Exception {
    int many = Integer.getInteger("invented.teams", 200);
    String open =
        """
        "open": {
          "of": "regions/{region}/tickets", "where": {"open": true},
          "document": "regions/{region}/teams/{teamId}",
          "into": {"count": "openTickets"}
        }""";
    try (LocalCloud cloud = start(open)) {
      made("regions/real/teams/red");
      var before = cloud.operations();
      for (int i = 0; i < many; i += 100) {
        var batch = firestore.batch();
        for (int j = i; j < i + 100; j++) {
          var ticket = firestore.document("regions/r%d/tickets/i%d".formatted(i, j));
          batch.create(ticket, Map.of("teamId", "i" + j, "open", true));
        }
        get(batch.commit());
      }
      write("regions/real/tickets/real", Map.of("teamId", "red", "open", true));
      long sent = System.nanoTime();
      awaitShown("regions/real/teams/red", "openTickets", 1L);
      Duration shown = Duration.ofNanos(System.nanoTime() - sent);
      await("all events")
          .atMost(Duration.ofMinutes(10))
          .until(() -> cloud.deliveries().count(Occurrence.DELIVERED) > many && cloud.quiet());

      var cost = cloud.operations().minus(before);
      System.out.printf("%d invented teams: %s; a real ticket after %s%n", many, cost, shown);
      assertThat(get(firestore.collectionGroup("open_rollups").get()).size()).isEqualTo(1);
      assertThat(get(firestore.collectionGroup("teams").get()).size()).isEqualTo(1);
      assertThat(cost.writes()).isLessThan(20); // of the real one, and of runs
      assertThat(cost.sums()).isLessThan(many + 20);
      assertThat(cost.reads()).isLessThan(2 * many + many / 10 + 100); // and of runs meanwhile
    }
  }

  /**
   * Its sums are dear (each document is a read), so only scheduled runs make one, but for the first
   * like after a quiet minute. A post with few likes is fresh beside it.
   */
  @Test
  void postOfManyLikes_isSummedByTheSchedule() throws Exception {
    int many = 31;
    String likes =
        """
        "likes": {
          "of": "posts/{post}/likes", "sum": "n", "index": false, "into": {"sum": "likes"}
        }""";
    made("posts/large");
    made("posts/small");
    for (int i = 0; i < many; i++) {
      write("posts/large/likes/before" + i, Map.of("n", 1));
    }
    var settings = Map.of("TOTALS", "{" + likes + "}");
    try (LocalCloud cloud = LocalCloud.start(options(settings).schedule(Duration.ZERO))) {
      write("posts/large/likes/first", Map.of("n", 1));
      awaitShown("posts/large", "likes", many + 1L);
      awaitSettled(cloud, "likes_rollups/large");
      await("no run").until(() -> cloud.runsUnderway() == 0);
      var before = cloud.operations();
      for (int i = 0; i < 40; i++) {
        write("posts/large/likes/" + i, Map.of("n", 1));
      }
      await("a promise").until(() -> read("likes_rollups/large").contains("live_until"));
      await("all events").until(cloud::quiet);

      // On a machine so slow that a minute has passed, the first like is summed: 40 would be more.
      assertThat(cloud.operations().minus(before).reads()).isLessThan(4 * 40);
      assertThat(cloud.runsUnderway()).isZero();
      write("posts/small/likes/first", Map.of("n", 1));
      awaitShown("posts/small", "likes", 1L);
      cloud.tick();
      awaitShown("posts/large", "likes", many + 41L);
    }
  }

  /**
   * They take turns at the post. Without turns, a third of the commits is refused; with them, only
   * one of a handler that read before it could see the lease.
   */
  @Test
  @Tag("core")
  void twoEntriesOfOnePost_areExactAndRefuseFew() throws Exception {
    var settings = Map.of("TOTALS", "{" + LIKES + ", " + COMMENTS + "}");
    // At a takeover, two runs work for a moment, and refuse each other's commits.
    try (LocalCloud cloud = LocalCloud.start(options(settings).schedule(Duration.ZERO))) {
      made("posts/p");
      write("posts/p/likes/first", Map.of());
      write("posts/p/comments/first", Map.of());
      awaitShown("posts/p", "likes", 1L);
      awaitShown("posts/p", "stats.comments", 1L);
      awaitSettled(cloud, "likes_rollups/p");
      awaitSettled(cloud, "comments_rollups/p");

      List<ApiFuture<WriteResult>> writes = new ArrayList<>();
      write(writes, 0, MANY / 3); // both become live
      for (String rollup : List.of("likes_rollups/p", "comments_rollups/p")) {
        await("a lease of " + rollup).until(() -> read(rollup).contains("live_until"));
      }
      long refused = cloud.calls().count(Occurrence.COMMIT_REFUSED);
      long commits = cloud.calls().count(Occurrence.COMMIT);
      write(writes, MANY / 3, MANY);
      commits = cloud.calls().count(Occurrence.COMMIT) - commits;
      assertThat(commits).isGreaterThan(5);
      assertThat(cloud.calls().count(Occurrence.COMMIT_REFUSED) - refused)
          .isLessThanOrEqualTo(Math.max(2, commits / 10));

      for (var write : writes) {
        get(write);
      }
      awaitShown("posts/p", "likes", MANY + 1L);
      awaitShown("posts/p", "stats.comments", MANY + 1L);
      awaitSettled(cloud, "likes_rollups/p");
      awaitSettled(cloud, "comments_rollups/p");
      assertThat(read("posts/p").get("likes")).isEqualTo(MANY + 1L);
      assertThat(read("posts/p").get("stats.comments")).isEqualTo(MANY + 1L);
    }
  }

  /** Creates 20 likes and 20 comments a second. */
  private void write(List<ApiFuture<WriteResult>> writes, int first, int end) {
    for (int i = first; i < end; i++) {
      writes.add(firestore.document("posts/p/likes/u" + i).create(Map.of()));
      writes.add(firestore.document("posts/p/comments/c" + i).create(Map.of("text", "x")));
      Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(50));
    }
  }

  /** The entry's name is another, and its roll-ups are the same: what is live goes on. */
  @Test
  @Tag("core")
  void renamedEntry_goesOnOverLiveCounters() throws Exception {
    String renamed =
        """
        "hearts": {
          "of": "posts/{post}/likes", "into": {"count": "likes"}, "rollups": "likes_rollups"
        }""";
    made("posts/p");
    try (LocalCloud before = start(Map.of("LEASE", "PT2M"), LIKES)) {
      assertThat(before.project()).isEqualTo(project.id());
      for (int i = 0; i < 20; i++) {
        write("posts/p/likes/u" + i, Map.of());
      }
      awaitShown("posts/p", "likes", 20L);
      await("a lease").until(() -> read("likes_rollups/p").contains("live_until"));
    }
    try (LocalCloud after = start(renamed)) {
      write("posts/p/likes/late", Map.of()); // covered by the lease of before
      awaitShown("posts/p", "likes", 21L);
      delete("posts/p/likes/late");
      awaitShown("posts/p", "likes", 20L);
      assertThat(after.complaints()).noneMatch(line -> line.contains("mark"));
      assertThat(get(firestore.collection("hearts_rollups").get()).getDocuments()).isEmpty();
    }
  }

  /** The state during a deploy: the new file has an entry more, and one less. */
  @Test
  @Tag("core")
  void oldAndNewFile_workSideBySide() throws Exception {
    try (LocalCloud older = start(LIKES, MEMBERS);
        LocalCloud newer = start(LIKES, COMMENTS)) {
      made("posts/p");
      made("groups/p");
      for (int i = 0; i < 10; i++) {
        write("posts/p/likes/u" + i, Map.of());
        write("posts/p/comments/c" + i, Map.of());
        write("groups/p/members/u" + i, Map.of());
      }
      awaitShown("posts/p", "likes", 10L);
      awaitShown("posts/p", "stats.comments", 10L);
      awaitShown("groups/p", "members", 10L);
      for (String rollup : List.of("likes_rollups/p", "comments_rollups/p")) {
        awaitSettled(newer, rollup);
      }
      for (LocalCloud cloud : List.of(older, newer)) {
        assertThat(cloud.failedMessages()).isZero();
        assertThat(cloud.complaints()).noneMatch(line -> line.contains("mark"));
      }
    }
    try (LocalCloud newer = start(LIKES, COMMENTS)) {
      assertThat(newer.project()).isEqualTo(project.id());
      delete("posts/p/likes/u0");
      delete("posts/p/comments/c0");
      awaitShown("posts/p", "likes", 9L);
      awaitShown("posts/p", "stats.comments", 9L);
      delete("groups/p/members/u0"); // nobody counts them any more
      assertThat(read("groups/p").get("members")).isEqualTo(10L);
    }
  }
}
