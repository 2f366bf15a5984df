package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.local.LocalCloud;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Posts that show their likes and ratings, which are documents that users write as ever. One test
 * at a time: a sweep may correct a total whose event is still on its way, and would say so.
 */
@On(Site.LIKES)
@Tag("core")
@Execution(ExecutionMode.SAME_THREAD)
final class CountedDocumentsIT {
  private static final int MANY = 25;

  private final TestCloud likes;
  private final TestCloud ratings;
  private final Firestore firestore;

  CountedDocumentsIT(TestCloud likes, @On(Site.RATINGS) TestCloud ratings) {
    this.likes = likes;
    this.ratings = ratings;
    firestore = likes.firestore();
  }

  private DocumentReference post() throws Exception {
    DocumentReference post = firestore.document("posts/" + UUID.randomUUID());
    get(post.set(Map.of("title", "x")));
    return post;
  }

  private static DocumentReference like(DocumentReference post, int user) {
    return post.collection("likes").document("user-" + user);
  }

  private static DocumentReference rating(DocumentReference post, String user) {
    return post.collection("ratings").document(user);
  }

  private static void rate(DocumentReference rating, Object stars, String text) throws Exception {
    get(rating.set(Map.of("review", Map.of("stars", stars), "text", text)));
  }

  private static void awaitShown(DocumentReference post, String field, @Nullable Object value) {
    await(field + " to be " + value)
        .untilAsserted(() -> assertThat(get(post.get()).get(field)).isEqualTo(value));
  }

  private DocumentSnapshot rollup(DocumentReference post, String collection) throws Exception {
    return get(firestore.document(collection + "/" + post.getId()).get());
  }

  /** Two deployments over one post, whose commits make each other's versions old. */
  @Test
  void postShowsItsLikesAndRatings_downToNone() throws Exception {
    DocumentReference post = post();
    DocumentReference other = post(); // never gets any

    for (int round = 0; round < 2; round++) { // as an SDK that sends all again
      for (int user = 0; user < MANY; user++) {
        get(like(post, user).set(Map.of("at", user)));
      }
    }
    rate(rating(post, "alice"), 5, "good");
    rate(rating(post, "bob"), 2, "well");
    rate(rating(post, "eve"), "five", "no number, so it does not count");
    awaitShown(post, "likes", (long) MANY);
    awaitShown(post, "stats.stars", 7L);
    awaitShown(post, "stats.ratings", 2L);
    awaitShown(post, "stats.average", 3.5);

    for (int user = 0; user < MANY; user++) {
      get(like(post, user).delete());
    }
    get(rating(post, "bob").delete());
    get(rating(post, "eve").delete());
    awaitShown(post, "likes", 0L);
    awaitShown(post, "stats.average", 5.0);
    get(rating(post, "alice").set(Map.of("text", "no stars any more")));
    awaitShown(post, "stats.stars", 0L);
    awaitShown(post, "stats.ratings", 0L);
    awaitShown(post, "stats.average", 0.0);
    assertThat(get(post.get()).get("title")).isEqualTo("x");

    List<LocalCloud> clouds = List.of(likes.local(), ratings.local());
    for (LocalCloud cloud : clouds) {
      CloudFaults.sweepPart(cloud);
    }
    assertThat(get(other.get()).getData()).isEqualTo(Map.of("title", "x"));
    assertThat(rollup(other, "rollups").exists()).isFalse();
    assertThat(rollup(post, "rollups").get("count")).isEqualTo(0L);
    String ratings = post.getPath() + "/ratings/"; // some of which hold no number, which is told
    for (LocalCloud cloud : clouds) {
      assertNoFault(
          cloud.complaints().stream()
              .filter(each -> !each.contains("documents do not count") || !each.contains(ratings))
              .toList());
    }
  }

  @Test
  void deletedPost_isNotMade_andItsTotalGoes() throws Exception {
    LocalCloud cloud = likes.local();
    DocumentReference deleted = post();
    DocumentReference left = post();
    for (DocumentReference post : List.of(deleted, left)) {
      get(like(post, 0).create(Map.of()));
      awaitShown(post, "likes", 1L);
    }

    get(deleted.delete());
    get(like(deleted, 0).delete());
    await("no total").until(() -> !rollup(deleted, "rollups").exists());
    assertThat(get(deleted.get()).exists()).isFalse();

    get(like(left, 0).delete());
    awaitShown(left, "likes", 0L);
    await("no lease").until(() -> rollup(left, "rollups").get("live_until") == null);
    get(left.delete()); // no event tells of this
    CloudFaults.sweepPart(cloud);
    assertThat(rollup(left, "rollups").exists()).isFalse();
    assertNoFault(cloud.complaints());
  }

  /** On a busy machine, the first read of an instance may take longer than it waits. */
  private static void assertNoFault(Collection<String> complaints) {
    assertThat(complaints)
        .allMatch(complaint -> complaint.contains("Firestore could not be read at the start"));
  }
}
