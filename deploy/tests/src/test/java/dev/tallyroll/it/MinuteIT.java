package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One function and one schedule, for counters where Google's samples have them. Each test has its
 * own project in the emulator of others.
 */
@On(Site.SHARED)
@Tag("core")
final class MinuteIT {
  private static final Map<String, String> MINUTE = TestTotals.polled("PT1M").settings();

  private final OwnProject project;
  private final Firestore firestore;

  MinuteIT(LocalCloud others) {
    project = new OwnProject(others);
    firestore = project.firestore();
  }

  @AfterEach
  void close() {
    project.close();
  }

  private LocalCloud start(Map<String, String> settings) {
    return LocalCloud.start(project.options().settings(settings).schedule(Duration.ofSeconds(2)));
  }

  /** Adds as Google's samples for servers do, which make no document above the shards. */
  private void add(String counter, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      get(
          firestore
              .document("counters/" + counter + "/shards/" + i % 3)
              .set(Map.of("count", FieldValue.increment(1)), SetOptions.merge()));
    }
  }

  private DocumentSnapshot rollup(String counter) throws Exception {
    return get(firestore.document("rollups/" + counter).get());
  }

  private void awaitTotal(String counter, long total) throws Exception {
    await(counter + " to be " + total)
        .until(() -> Long.valueOf(total).equals(rollup(counter).get("count")));
  }

  private boolean isAnythingLive() throws Exception {
    return get(firestore.collection("rollup_runs/tallyroll/live").get()).getDocuments().stream()
        .anyMatch(entry -> !entry.getId().startsWith("run-"));
  }

  /** RollUp takes over, the trigger goes; leases and totals of before are settled, and kept. */
  @Test
  void totals_goOnWithoutTheTrigger_andWithItAgain() throws Exception {
    Map<String, String> triggered =
        Map.of("TOTALS", TestTotals.of("counters").text(), "BURST", "2");
    try (LocalCloud before = start(triggered)) {
      assertThat(before.project()).isEqualTo(project.id());
      add("moved", 9);
      await("the counter to be live").until(this::isAnythingLive);
    }
    try (LocalCloud without = start(MINUTE)) {
      assertThat(without.project()).isEqualTo(project.id());
      add("moved", 3);
      awaitTotal("moved", 12);
      await("the lease of before to be settled").until(() -> !isAnythingLive());
      countersWithoutATrigger_areSummedByTheSchedule(without);
      add("moved", 1);
      awaitTotal("moved", 13);
      assertThat(isAnythingLive()).isFalse();
    }
    try (LocalCloud again = start(triggered)) {
      assertThat(again.project()).isEqualTo(project.id());
      add("moved", 2);
      awaitTotal("moved", 15);
    }
  }

  private void countersWithoutATrigger_areSummedByTheSchedule(LocalCloud cloud) throws Exception {
    add("bare", 7);
    get(FirestoreCounters.of(firestore).counter("whole").create(3));
    add("whole", 5);
    awaitTotal("bare", 7);
    awaitTotal("whole", 5);

    assertThat(rollup("bare").contains("live_until")).isFalse();
    assertThat(rollup("bare").get("counter")).isEqualTo("counters/bare");
    assertThat(isAnythingLive()).isFalse();
    add("bare", 4);
    awaitTotal("bare", 11);

    for (int i = 0; i < 3; i++) {
      get(firestore.document("counters/bare/shards/" + i).delete());
    }
    cloud.sweep();
    await("the total of a deleted counter to go").until(() -> !rollup("bare").exists());
    assertThat(rollup("whole").get("count")).isEqualTo(5L);
  }

  /** No list of likes names a post that has lost its last one. */
  @Test
  void polledPost_showsThatItsLastLikeHasGone() throws Exception {
    Map<String, String> polled =
        TestTotals.of(Site.LIKES.layout())
            .with("events", false)
            .with("into", Map.of("count", "likes"))
            .settings();
    DocumentReference post = firestore.document("posts/p");
    get(post.set(Map.of("title", "x")));
    try (LocalCloud cloud = start(polled)) {
      assertThat(cloud.project()).isEqualTo(project.id());
      get(post.collection("likes").document("ann").create(Map.of()));
      get(post.collection("likes").document("bob").create(Map.of()));
      await("two likes").until(() -> Long.valueOf(2).equals(get(post.get()).get("likes")));

      get(post.collection("likes").document("ann").delete());
      get(post.collection("likes").document("bob").delete());
      await("no like").until(() -> Long.valueOf(0).equals(get(post.get()).get("likes")));
      assertThat(rollup("p").get("shards")).isEqualTo(0L);
    }
  }
}
