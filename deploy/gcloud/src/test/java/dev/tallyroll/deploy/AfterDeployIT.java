package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** smoke, status and destroy, against a project that deploy has made. */
class AfterDeployIT {

  private static final String SECOND = "--name=second --counters=polls --rollup-topic=second";

  private final FakeCloud cloud = FakeCloud.deployed();

  @Test
  void smoke_measuresTheLagInFirestoresTime() {
    // From 23:59:59.500 to 00:00:00.250, as the fake says.
    assertThat(cloud.exits(0, "smoke")).contains("the total is 5; lag 0.750 s");
    assertThat(cloud.calls()).filteredOn(call -> call.contains("\"increment\"")).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource({
    "/rollups/, 404, # WRONG: expected a total of 5 within 90 s",
    "\"increment\", 503, What was done stays."
  })
  void smoke_deletesItsCounterWhateverFails(String call, int answer, String words) {
    cloud.answer("^curl .*" + call, 22, "curl: (22) The requested URL returned error: " + answer);

    assertThat(cloud.exits(1, "smoke")).contains(words);
    assertThat(cloud.calls())
        .filteredOn(one -> one.contains(":commit "))
        .last()
        .asString()
        .contains("{\"delete\":");
  }

  @ParameterizedTest
  @CsvSource({
    "smoke, --counters=rooms/{room}/counters, /rooms/tallyroll-smoke/rollups/tallyroll-smoke-",
    "smoke, --anywhere, /rollups/tallyroll-smoke-",
    "status, --counters=rooms/{room}/counters, /rollup_runs/rooms%3A%2A%3Acounters-0"
  })
  void documents_areWhereTheCountersAre(String script, String option, String path) {
    cloud.exits(0, script + " " + option);

    assertThat(cloud.calls()).anyMatch(call -> call.contains("/documents" + path));
  }

  @Test
  void status_changesNothing() {
    assertThat(cloud.exits(0, "status"))
        .contains("# tallyroll-run: ENABLED", "worker 0: no run", "none is live");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void status_tellsWhatItFinds() {
    cloud.answer("^logging read", 0, "2026-01-01T00:00:00Z tallyroll-roll-up first\\n2026 second");
    cloud.answer(
        "^curl .*rollup_runs/counters-0",
        0,
        "{ \"fields\": { \"until\": { \"timestampValue\": \"2026-01-01T00:01:00Z\" }, \"holder\": { \"stringValue\": \"me\" } } }");
    cloud.answer(
        "^curl .*runQuery",
        0,
        "[{ \"document\": { \"name\": \"projects/p/c\", \"fields\": { \"live_until\": { \"timestampValue\": \"2026-01-01T00:00:05Z\" } } } }]");

    assertThat(cloud.exits(0, "status"))
        .contains("# 2 (at most 100 are read)", "worker 0: until 2026-01-01T00:01:00Z, by me")
        .contains("its lease ends 2026-01-01T00:00:05Z projects/p/c");
  }

  @Test
  void status_asksForEveryLane() {
    cloud.exits(0, "status --lanes=40");

    assertThat(cloud.calls()).filteredOn(call -> call.contains(":runQuery")).hasSize(2);
    assertThat(cloud.calls()).anyMatch(call -> call.contains("{\"integerValue\":\"39\"}]"));
  }

  @Test
  void destroy_asksFirst() {
    assertThat(cloud.exits(2, "destroy"))
        .contains("Type the name, tallyroll, to remove it", "nothing was removed");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void destroy_removesWhatDeployMadeAndKeepsTheRest() {
    String before = indexes();
    cloud.keep("policy", cloud.kept("policy") + "\nuser:owner@x|roles/owner|");

    cloud.exits(0, "destroy --yes");

    assertThat(cloud.file(""))
        .isDirectoryNotContaining("regex:.*/((job|function|topic)-tally.*|topic-rollup)");
    assertThat(cloud.kept("policy")).isEqualTo("user:owner@x|roles/owner|");
    assertThat(cloud.file("accounts")).isEmptyDirectory();
    assertThat(indexes()).isEqualTo(before);
    assertThat(cloud.calls()).noneMatch(call -> call.contains("databases delete"));
  }

  @Test
  void destroy_removesIndexesToo() {
    destroy("");

    assertThat(indexes()).isEmpty();
    // A second time finds nothing.
    destroy("");
  }

  @Test
  void destroy_leavesAndNamesWhatIsNotItsOwn() {
    cloud.keep("topic-rollup", "");

    assertThat(cloud.exits(1, "destroy --yes"))
        .contains("topic rollup: expected the mark of deploy");
    assertThat(cloud.file("topic-rollup")).exists();
  }

  @Test
  void destroy_leavesAndNamesWhatANeighbourNeeds() {
    cloud.exits(0, "deploy " + SECOND);
    String before = indexes();

    assertThat(destroy(SECOND))
        .contains("kept", "the index on rollups and its exemptions (tallyroll)")
        .contains("the TTL policy on increment_names and its exemption (tallyroll)");
    assertThat(indexes()).isEqualTo(before);
    assertThat(cloud.kept("topic-rollup")).isEqualTo("tallyroll");
    cloud.exits(0, "status");
  }

  @Test
  void destroy_removesWhatOnlyItNeededFromBesideANeighbour() {
    String before = indexes();
    String apart =
        SECOND
            + " --rollups-collection=results --increments-collection=vote_names"
            + " --shards-collection=parts --sum=documents";
    cloud.exits(0, "deploy " + apart);
    assertThat(cloud.kept("fields")).contains("results/fields/as_of|0", "parts/fields/count|0");

    assertThat(destroy(apart)).doesNotContain("kept");
    assertThat(indexes()).isEqualTo(before);
  }

  @Test
  void destroy_leavesAnExemptCountToANeighbour() {
    cloud.exits(0, "deploy --sum=documents");
    cloud.exits(0, "deploy --sum=documents " + SECOND);

    assertThat(destroy("--sum=documents " + SECOND))
        .contains("kept", "the exemption of shards.count (tallyroll)");
    assertThat(cloud.kept("fields")).contains("shards/fields/count|0");
  }

  private String destroy(String options) {
    return cloud.exits(0, "destroy --yes --indexes " + options);
  }

  private String indexes() {
    return cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls");
  }
}
