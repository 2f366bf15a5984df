package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The questions of status and of the canary to Firestore, on the official emulator. */
class LiveCountIT {

  private static final RulesEmulator EMULATOR = RulesEmulator.SHARED;

  @ParameterizedTest
  @CsvSource({
    "--counters=counters, 2",
    "--anywhere, 2",
    "--counters=rooms/{room}/counters, 3",
    "--counters=polls, 0"
  })
  void status_countsTheCountersOfItsOwnList(String option, int live) {
    String project = EMULATOR.load(Plan.of("deploy").staged("firestore.rules")).project();
    List<String> writes =
        Stream.of(
                "rollup_runs/counters/live/0",
                "rollup_runs/counters/live/f",
                "rollup_runs/rooms:*:counters/live/0",
                "rollup_runs/rooms:*:counters/live/8",
                "rollup_runs/rooms:*:counters/live/f",
                "rollup_runs/counters",
                "rollup_runs/counters/live/run-0",
                "rollup_runs/counters-0/live/0",
                "rollup_runs/counter/live/0",
                "rollup_runs/counters2/live/0",
                "counters/likes/live/0")
            .map(path -> Call.set(path, "").replace("@P", project))
            .toList();
    EMULATOR.answer(project, Call.commit(writes));

    String answer = EMULATOR.answer(project, asked(":runAggregationQuery", option, project));
    String entries = EMULATOR.answer(project, asked(":runQuery", option, project));

    assertThat(answer).contains("\"live\"", "\"" + live + "\"");
    assertThat(entries.split("\"document\":", -1)).hasSize(live + 1);
  }

  /** The canary deletes the documents that it finds. */
  @Test
  void canary_findsItsOwnListOnly() {
    String project = EMULATOR.load(Plan.of("deploy").staged("firestore.rules")).project();
    Map<Setting, String> settings =
        Map.of(Setting.COUNTERS, "rooms/{room}/own", Setting.RUNS_COLLECTION, "own_runs");
    Deployment ours = new Deployment(project, "us-central1", "canary", "us-central1", settings);
    List<String> own =
        Stream.of("", "/live/0", "/live/f", "/live/run-0", "/live/run-sweep")
            .map(path -> ours.document() + path)
            .toList();
    List<String> writes =
        Stream.concat(own.stream(), Stream.of("rollup_runs/rooms:*:own/live/0"))
            .map(path -> Call.set(path, "").replace("@P", project))
            .toList();
    EMULATOR.answer(project, Call.commit(writes));

    EmulatedCloud cloud = new EmulatedCloud(EMULATOR.address(), rules -> {});

    assertThat(new Ground(cloud, cloud.console(), ours).documents())
        .containsExactlyInAnyOrderElementsOf(
            own.stream().map(path -> ours.documents() + "/" + path).toList());
  }

  private static Call asked(String method, String option, String project) {
    FakeProject cloud = FakeProject.deployed(option);
    cloud.exits(0, "status");
    String body =
        cloud.calls.stream()
            .filter(call -> call.contains(method) && call.contains("\"live\""))
            .map(call -> call.substring(call.indexOf('{')))
            .findFirst()
            .orElseThrow();
    return new Call(method, body.replace("projects/p/", "projects/" + project + "/"));
  }
}
