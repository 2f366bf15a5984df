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
    "status, --counters=rooms/{room}/counters, /rollup_runs/rooms%3A%2A%3Acounters-0",
    "status, --counters=rooms/{room}/counters, '/rollup_runs/rooms:*:counters\"}'",
    "status, --anywhere, '/rollup_runs/counters\"}'"
  })
  void documents_areWhereTheCountersAre(String script, String option, String path) {
    cloud.exits(0, script + " " + option);

    assertThat(cloud.calls()).anyMatch(call -> call.contains("/documents" + path));
  }

  @Test
  void status_changesNothing() {
    assertThat(cloud.exits(0, "status"))
        .contains("# tallyroll-run: ENABLED", "worker 0: no run", "at each tick\n# 0\n");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void status_tellsWhatItFinds() {
    cloud.answer("^logging read", 0, "2026-01-01T00:00:00Z tallyroll-roll-up first\\n2026 second");
    cloud.answer(
        "^curl .*rollup_runs/counters-0",
        0,
        "{ \"fields\": { \"until\": { \"timestampValue\": \"2026-01-01T00:01:00Z\" }, \"holder\": { \"stringValue\": \"me\" } } }");
    cloud.keep("live", "12345");

    assertThat(cloud.exits(0, "status"))
        .contains("# 2 (at most 100 are read)", "worker 0: until 2026-01-01T00:01:00Z, by me")
        .contains("# Live counters: how many the runs add up at each tick\n# 12345\n");
  }

  @Test
  void destroy_asksFirst() {
    assertThat(cloud.exits(2, "destroy"))
        .contains("Type the name, tallyroll, to remove it", "nothing was removed");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void destroy_removesWhatDeployMadeAndKeepsTheRest() {
    String before = fieldSettings();
    cloud.keep("policy", cloud.kept("policy") + "\nuser:owner@x|roles/owner|");

    cloud.exits(0, "destroy --yes");

    assertThat(cloud.file(""))
        .isDirectoryNotContaining("regex:.*/((job|function|topic)-tally.*|topic-rollup)");
    assertThat(cloud.kept("policy")).isEqualTo("user:owner@x|roles/owner|");
    assertThat(cloud.file("accounts")).isEmptyDirectory();
    assertThat(fieldSettings()).isEqualTo(before);
    assertThat(cloud.calls()).noneMatch(call -> call.contains("databases delete"));
  }

  @Test
  void destroy_removesFieldSettingsToo() {
    destroy("");

    assertThat(fieldSettings()).isEmpty();
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
    String before = fieldSettings();

    assertThat(destroy(SECOND))
        .contains("kept", "the exemptions of rollups (tallyroll)")
        .contains("the TTL policy on increment_names and its exemption (tallyroll)");
    assertThat(fieldSettings()).isEqualTo(before);
    assertThat(cloud.kept("topic-rollup")).isEqualTo("tallyroll");
    cloud.exits(0, "status");
  }

  @Test
  void destroy_removesWhatOnlyItNeededFromBesideANeighbour() {
    String before = fieldSettings();
    String apart =
        SECOND
            + " --rollups-collection=results --increments-collection=vote_names"
            + " --shards-collection=parts --sum=documents";
    cloud.exits(0, "deploy " + apart);
    assertThat(cloud.kept("fields")).contains("results/fields/as_of|0", "parts/fields/count|0");

    assertThat(destroy(apart)).doesNotContain("kept");
    assertThat(fieldSettings()).isEqualTo(before);
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

  private String fieldSettings() {
    return cloud.kept("fields") + cloud.kept("ttls");
  }
}
