package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** smoke and status, against a project that deploy has made. */
class AfterDeployIT {

  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeEach
  void copyProject() throws Exception {
    cloud = FakeCloud.deployed(folder);
  }

  @Test
  void smoke_measuresTheLagInFirestoresTime() {
    String said = cloud.exits(0, "smoke");

    // From 23:59:59.500 to 00:00:00.250, as the fake says.
    assertThat(said).contains("the total is 5; lag 0.750 s");
    assertThat(cloud.calls()).filteredOn(call -> call.contains("\"increment\"")).hasSize(5);
  }

  @Test
  void smoke_deletesItsCounterEvenWhenNoTotalComes() throws Exception {
    cloud.answer("^curl .*/rollups/", 22, "curl: (22) The requested URL returned error: 404");

    assertThat(cloud.exits(1, "smoke")).contains("# WRONG: expected a total of 5 within 90 s");
    assertThat(cloud.calls()).anyMatch(call -> call.contains("{\"delete\":"));
  }

  @Test
  void smoke_deletesItsCounterWhenAnIncrementFails() throws Exception {
    cloud.answer("^curl .*\"increment\"", 22, "curl: (22) The requested URL returned error: 503");

    cloud.exits(1, "smoke");
    assertThat(cloud.calls()).last().asString().contains("{\"delete\":");
  }

  @ParameterizedTest
  @CsvSource({
    "smoke, --counters=rooms/{room}/counters, /rooms/tallyroll-smoke/rollups/tallyroll-smoke-",
    "smoke, --anywhere, /rollups/tallyroll-smoke-",
    "status, --counters=rooms/{room}/counters, /rollup_runs/rooms%3A%2A%3Acounters-0"
  })
  void documents_areWhereTheCountersAre(String script, String option, String path) {
    cloud.exits(0, script, option);

    assertThat(cloud.calls()).anyMatch(call -> call.contains("/documents" + path));
  }

  @Test
  void status_changesNothing() {
    assertThat(cloud.exits(0, "status"))
        .contains("# tallyroll-run: ENABLED", "worker 0: no run", "none is live");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void status_tellsWhatItFinds() throws Exception {
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
    cloud.exits(0, "status", "--lanes=40");

    assertThat(cloud.calls()).filteredOn(call -> call.contains(":runQuery")).hasSize(2);
    assertThat(cloud.calls()).anyMatch(call -> call.contains("{\"integerValue\":\"39\"}]"));
  }
}
