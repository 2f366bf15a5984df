package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** smoke, status and destroy, in a project that deploy has made. */
class AfterDeployIT {

  private static final String SECOND = "--name=second --counters=polls --rollup-topic=second";

  private final FakeProject project = FakeProject.deployed("");

  @Test
  void smoke_measuresTheLagInFirestoresTime() {
    assertThat(project.exits(0, "smoke")).contains("the total is 5; lag 750 ms");
    assertThat(project.changes).filteredOn(call -> call.contains("\"increment\"")).hasSize(5);
  }

  @Test
  void smoke_deletesItsCounterWhateverFails() {
    project.answer("batchGet.*rollups/tallyroll", com.google.gson.JsonArray::new);
    assertThat(project.exits(1, "smoke")).contains("# WRONG: expected a total of 5 within 90 s");
    assertThat(project.changes).last().asString().contains("{\"delete\":");

    project.fail("\"increment\"", "UNAVAILABLE", "503");
    assertThat(project.exits(1, "smoke")).contains("The steps that were done stay done.");
    assertThat(project.changes).last().asString().contains("{\"delete\":");
  }

  @ParameterizedTest
  @CsvSource({
    "smoke, --counters=rooms/{room}/counters, rooms/tallyroll-smoke/rollups/tallyroll-smoke-",
    "smoke, --anywhere, /documents/rollups/tallyroll-smoke-",
    "status, --counters=rooms/{room}/counters, rollup_runs/rooms:*:counters/live/run-0",
    "status, --counters=rooms/{room}/counters, 'rollup_runs/rooms:*:counters/live/0\"}'",
    "status, --anywhere, 'rollup_runs/counters/live/0\"}'",
    "status, --monitoring=me@x.org, 'subscription_id%3D%22eventarc-tallyroll-on-shard-written'"
  })
  void documents_areWhereTheCountersAre(String command, String option, String path) {
    FakeProject elsewhere = FakeProject.deployed(option);

    elsewhere.exits(0, command);

    assertThat(elsewhere.calls).anyMatch(call -> call.contains(path));
  }

  @Test
  void replay_namesCountersAndHasThemSwept() {
    deadLetters(150, i -> "counters/" + (i % 3 == 0 ? "likes" : "a,b=c") + "/shards/" + i);
    project.changes.clear();

    assertThat(project.exits(0, "replay"))
        .contains("# 150 events of 2 counters\n# counters/a,b=c: 100\n# counters/likes: 50\n");
    assertThat(project.changes).hasSize(4);
    assertThat(project.changes.get(0))
        .contains("--attribute=^//^kind=sweep//counter=counters/a,b=c");
    assertThat(project.changes.get(1))
        .contains("--attribute=^//^kind=sweep//counter=counters/likes");
    assertThat(project.changes.get(3)).contains("subscriptions ack tallyroll-dead-letters");

    project.changes.clear();
    assertThat(project.exits(0, "replay")).contains("# 0 events of 0 counters");
    assertThat(project.changes).isEmpty();
  }

  /** Anybody may choose ids, and the operator's terminal obeys control characters. */
  @Test
  void replay_showsControlCharactersByTheirNumbers() {
    deadLetters(1, i -> "counters/a\u001b[31mb'\nc/shards/0");

    assertThat(project.exits(0, "replay"))
        .contains(
            "# counters/a\\u001b[31mb'\n# c: 1\n",
            "# A sweep of counters/a\\u001b[31mb'\n# c\n",
            "--attribute=$'^//^kind=sweep//counter=counters/a\\u001b[31mb\\'\nc'")
        .doesNotContain("\u001b");
  }

  private void deadLetters(int events, IntFunction<String> shard) {
    for (int i = 0; i < events; i++) {
      JsonObject attributes = Json.of("ce-document", shard.apply(i));
      project.put(
          "letter",
          "a" + i,
          Json.of("ackId", "a" + i, "message", Json.of("attributes", attributes)));
    }
  }

  /** Too many, too long for an attribute, or not named at all. */
  @ParameterizedTest
  @CsvSource({"60, counters/%d/shards/0", "2, counters/%01100d/shards/0", "2, ''"})
  void replay_hasAllSweptWhereItCannotNameThem(int events, String shard) {
    deadLetters(events, shard::formatted);
    project.changes.clear();

    project.exits(0, "replay");

    assertThat(project.changes).hasSize(2).first().isEqualTo(DeployIT.SWEEP);
  }

  @Test
  void destroy_leavesWhatWasThereBefore() {
    FakeProject before = FakeProject.empty();
    before.indexes("rollups.as_of", 0);
    before.ttl("increment_names.expire_at");
    before.policies.put("project|roles/owner|", new TreeSet<>(List.of("user:me")));
    String found = before.snapshot();
    before.exits(0, "deploy --exclude-request-logs");
    assertThat(before.get("document", "rollup_runs/counters").toString())
        .contains("\"rollups.counter\"")
        .doesNotContain("\"rollups.as_of\"", "\"ttl increment_names.expire_at\"");

    assertThat(before.exits(0, "destroy --yes --indexes"))
        .contains(
            "left, since nothing says that deploy made them",
            "rollups.as_of, ttl increment_names.expire_at");

    List.of("document", "subscription", "trigger").forEach(kind -> before.all(kind).clear());
    before.policies.keySet().removeIf(key -> key.matches("(tallyroll|topic|projects/).*"));
    assertThat(before.snapshot()).isEqualTo(found);
  }

  /** destroy reads the deployed settings, so forgotten options do no harm. */
  @Test
  void destroy_findsTheSettingsThatWereDeployed() {
    FakeProject renamed =
        FakeProject.deployed("--rollups-collection=totals --sum=documents --rollup-topic=ticks");
    renamed.indexes("rollups.as_of", 0);

    renamed.exits(0, "destroy --yes --indexes");

    assertThat(renamed.all("field").keySet()).containsExactly("rollups.as_of");
    assertThat(renamed.all("ttl")).isEmpty();
    assertThat(renamed.all("topic")).isEmpty();
    assertThat(renamed.exits(0, "destroy --yes --indexes")).contains("All is as it should be");
  }

  @Test
  void destroy_leavesAndNamesWhatANeighbourNeeds() {
    project.exits(0, "deploy --sum=documents --yes");
    project.exits(0, "deploy --sum=documents " + SECOND);
    List<String> before = List.copyOf(project.all("field").keySet());

    assertThat(project.exits(0, "destroy --yes --indexes"))
        .contains("kept, since other deployments in this database need it: rollups.as_of (second)")
        .contains("ttl increment_names.expire_at (second)", "shards.count (second)");
    assertThat(project.all("field").keySet()).containsExactlyElementsOf(before);
    assertThat(project.all("topic")).containsOnlyKeys("second", "second-dead-letters");
    project.exits(0, "status --name=second");

    // The deployment that made them removes them once nobody needs them.
    project.exits(0, "destroy --yes --indexes --name=second");
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.all("field")).isEmpty();
    assertThat(project.all("ttl")).isEmpty();
  }

  @Test
  void destroy_removesWhatOnlyItNeeded() {
    List<String> before = List.copyOf(project.all("field").keySet());
    project.exits(
        0,
        "deploy --rollups-collection=results --increments-collection=vote_names --shards-collection=parts --sum=documents "
            + SECOND);
    assertThat(project.all("field")).containsKeys("results.as_of", "parts.count");

    assertThat(project.exits(0, "destroy --yes --indexes --name=second --counters=polls"))
        .doesNotContain("kept");
    assertThat(project.all("field").keySet()).containsExactlyElementsOf(before);
  }
}
