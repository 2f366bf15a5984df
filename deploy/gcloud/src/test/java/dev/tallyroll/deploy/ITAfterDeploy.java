package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** smoke and status, against a project that deploy has made. */
class ITAfterDeploy {

  @TempDir static Path original;
  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeAll
  static void deployOnce() throws Exception {
    assertThat(FakeCloud.in(original).run("deploy").code()).isZero();
  }

  @BeforeEach
  void copyProject() throws Exception {
    cloud = FakeCloud.at(original).copyTo(folder);
    cloud.forgetCalls();
  }

  @Test
  void smoke_measuresTheLagInFirestoresTime() {
    Shell.Result result = cloud.run("smoke");

    assertThat(result.code()).as(result.text()).isZero();
    // From 23:59:59.500 to 00:00:00.250, as the fake says.
    assertThat(result.text()).contains("the total is 5; lag 0.750 s");
    assertThat(cloud.calls()).filteredOn(call -> call.contains("\"increment\"")).hasSize(5);
  }

  @Test
  void smoke_deletesItsCounterEvenWhenNoTotalComes() throws Exception {
    cloud.answer("^curl .*/rollups/", 22, "curl: (22) The requested URL returned error: 404");

    Shell.Result result = cloud.run("smoke");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.text()).contains("# WRONG: expected a total of 5 within 90 s");
    assertThat(cloud.calls()).anyMatch(call -> call.contains("{\"delete\":"));
  }

  @Test
  void smoke_deletesItsCounterWhenAnIncrementFails() throws Exception {
    cloud.answer("^curl .*\"increment\"", 22, "curl: (22) The requested URL returned error: 503");

    assertThat(cloud.run("smoke").code()).isEqualTo(1);
    assertThat(cloud.calls()).last().asString().contains("{\"delete\":");
  }

  @Test
  void smoke_fillsInAPathsNames() {
    cloud.run("smoke", "--counters=rooms/{room}/counters");

    assertThat(cloud.calls())
        .anyMatch(
            call -> call.contains("/documents/rooms/tallyroll-smoke/rollups/tallyroll-smoke-"));
  }

  @Test
  void smoke_countsAtTheRootWhereCountersAreAnywhere() {
    cloud.run("smoke", "--anywhere");

    assertThat(cloud.calls())
        .anyMatch(call -> call.contains("/documents/rollups/tallyroll-smoke-"));
  }

  @Test
  void status_changesNothing() {
    Shell.Result result = cloud.run("status");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text())
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

    assertThat(cloud.run("status").text())
        .contains("# 2 (at most 100 are read)", "worker 0: until 2026-01-01T00:01:00Z, by me")
        .contains("its lease ends 2026-01-01T00:00:05Z projects/p/c");
  }

  @Test
  void status_readsTheRunsOfItsOwnPath() {
    cloud.run("status", "--counters=rooms/{room}/counters");

    assertThat(cloud.calls())
        .anyMatch(call -> call.contains("/documents/rollup_runs/rooms%3A%2A%3Acounters-0"));
  }

  @Test
  void status_asksForEveryLane() {
    cloud.run("status", "--lanes=40");

    assertThat(cloud.calls()).filteredOn(call -> call.contains(":runQuery")).hasSize(2);
    assertThat(cloud.calls()).anyMatch(call -> call.contains("{\"integerValue\":\"39\"}]"));
  }
}
