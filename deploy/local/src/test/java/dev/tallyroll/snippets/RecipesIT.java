package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.gson.Gson;
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.Home;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.it.TestCloud;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The recipes with the Web SDK, under the strict rules and their own rules. No function watches
 * this project of the emulator, so the test writes the roll-ups.
 */
@On(Site.SHARED)
final class RecipesIT {
  private static final String PROJECT = "demo-recipes";
  private static final int DAY = 24;

  /** The result is 0 if the rules refuse. */
  private static final String EXPECTED =
      """
      voted 1, votedTwice 0, votedForBob 0, bobTookAliceBack 0, slipAlone 0, shardAlone 0, \
      slipTornUp 0, twoShards 0, tookBack 1, \
      Error: polls/p/slips/alice: expected a vote; found none, tookNothingBack 2, \
      votedAgain 1, bobVoted 1, zoe 9, max 7, elevenLeaders 0, hours 24, noon 12, viewed 1, viewedAtOnceAgain 0, viewedByNobody 0, views 5, \
      end 1""";

  private final TestCloud cloud;

  RecipesIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @Test
  void recipes_doWhatTheySayAndNothingElse() throws Exception {
    loadRules();
    Firestore db = open();
    try {
      makeCounters(db);
      try (var web = ClientProgram.recipes(cloud, PROJECT)) {
        web.await("end");

        assertThat(web.lines()).contains(EXPECTED.split(", ", -1));
      }
      assertThat(exactTotal(db, "polls/p", "yes")).isZero();
      assertThat(exactTotal(db, "polls/p", "no")).isEqualTo(2);
      assertThat(exactTotal(db, "", "home")).isEqualTo(1);
    } finally {
      db.shutdown();
    }
  }

  private static long exactTotal(Firestore db, String parent, String id) throws Exception {
    return FirestoreCounters.of(db).below(parent).counter(id).exactTotal().get().longValue();
  }

  private static void makeCounters(Firestore db) throws Exception {
    Counters polls = FirestoreCounters.of(db).below("polls/p");
    polls.counter("yes").create(2).get();
    polls.counter("no").create(2).get();
    FirestoreCounters.of(db).counter("home").create(1).get();
    rollUp(db, "", "home", 5);
    rollUp(db, "games/g", "max", 7);
    rollUp(db, "games/g", "zoe", 9);
    rollUp(db, "games/g", "ann", 1);
    Counters hours = FirestoreCounters.of(db).below("sites/s");
    for (int hour = 0; hour < DAY; hour++) {
      String id = "clicks-2026-05-01T%02d".formatted(hour);
      hours.counter(id).create(1).get();
      rollUp(db, "sites/s", id, hour);
    }
    hours.counter("clicks-2026-05-02T00").create(1).get();
    rollUp(db, "sites/s", "clicks-2026-05-02T00", 100);
  }

  private static void rollUp(Firestore db, String parent, String id, int count) throws Exception {
    String place = parent.isEmpty() ? "" : parent + "/";
    db.document(place + "rollups/" + id)
        .set(Map.of("count", count, "counter", place + "counters/" + id))
        .get();
  }

  private Firestore open() {
    return FirestoreOptions.newBuilder()
        .setProjectId(PROJECT)
        .setEmulatorHost(cloud.local().firestoreHost())
        .build()
        .getService();
  }

  private void loadRules() throws Exception {
    var strict = Files.readString(Home.ROOT.resolve("deploy/firestore/firestore.strict.rules"));
    var recipes = Files.readString(Workspace.CLIENTS.resolve("web/recipes.rules"));
    int end = strict.lastIndexOf("  }\n}");
    var rules = strict.substring(0, end) + recipes + strict.substring(end);
    var file = Map.of("name", "security.rules", "content", rules);
    var body = new Gson().toJson(Map.of("rules", Map.of("files", List.of(file))));
    var request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://%s/emulator/v1/projects/%s:securityRules"
                        .formatted(cloud.local().firestoreHost(), PROJECT)))
            .timeout(Duration.ofSeconds(30))
            .header("Authorization", "Bearer owner")
            .PUT(BodyPublishers.ofString(body))
            .build();
    var answer =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .build()
            .send(request, BodyHandlers.ofString());

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }
}
