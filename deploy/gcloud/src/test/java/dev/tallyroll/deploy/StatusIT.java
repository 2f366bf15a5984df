package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** status: each condition that it sees is told with a command, and ends with 1; none, with 0. */
class StatusIT {
  private static final String NAME = "resource/labels/service_name=tallyroll-roll-up, ";

  private final FakeProject project = FakeProject.deployed("--monitoring=me@x.org");

  /** A system that has worked for a day, with a counter that is live. */
  @BeforeEach
  void work() {
    project.pause(Duration.ofDays(1));
    line("run", "run ended, jsonPayload/ending=IDLE");
    line("sweep", "sweep, jsonPayload/complete=true");
    line("summary", "summary, jsonPayload/lag_p50_ms=340, jsonPayload/lag_p99_ms=990");
    project.document("rollup_runs/counters/live/h1", "counter", "counters/likes");
    project.document("rollups/likes", "counter", "counters/likes");
    String until = "fields/live_until/timestampValue=" + project.now.plusSeconds(3);
    project.set("document", "rollups/likes", until);
    String run = "rollup_runs/counters/live/run-0";
    project.document(run, "holder", "me");
    project.set("document", run, "fields/until/timestampValue=2026-01-02T00:01:00Z");
    project.live = 12_345;
  }

  private void line(String id, String message) {
    project.set(
        "line", id, NAME + "timestamp=2026-01-02T00:00:00Z, jsonPayload/message=" + message);
  }

  @Test
  void healthySystem_isOneScreen() {
    assertThat(project.exits(0, "status"))
        .contains("# lag p50 ms      340\n", "# lag p99 ms      990\n", "# oldest lease s  0\n")
        .contains("# complete sweep  2026-01-02T00:00:00Z\n", "# alerts to       me@x.org\n")
        .contains("# job run         ENABLED\n", "# errors          0\n")
        .contains("# run 0           until 2026-01-02T00:01:00Z, by me\n")
        .contains("# live            12345\n")
        .endsWith("\n# All is as it should be.\n");
    assertThat(project.said().lines().count()).isLessThan(24);
    assertThat(project.changes).isEmpty();
  }

  /** A change of the healthy system, the reason that is told, and the command that helps. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          drop line run; no run has ended for five minutes; gcloud scheduler jobs describe tallyroll-run
          drop line sweep; no complete sweep for two hours; publish rollup --project=p --message=sweep
          set line e severity=ERROR, jsonPayload/message=sum is not a number; errors in the last hour: 1, the last:; AND severity>=ERROR' --project=p
          set line e severity=ALERT, textPayload=OutOfMemoryError; OutOfMemoryError; gcloud logging read
          set line e severity=WARNING, jsonPayload/message=summary, jsonPayload/cut=1; was cut: the rest stand still; gcloud/deploy --project=p --region=us-central1 --name=tallyroll --workers=2
          set job tallyroll-run status/code=13, lastAttemptTime=2026-01-02T00:00:00Z; tallyroll-run failed at its last attempt: code 13, at 2026; gcloud scheduler jobs run tallyroll-run
          set job tallyroll-run state=PAUSED; tallyroll-run: expected an ENABLED job, found PAUSED; jobs resume tallyroll-run
          drop account tallyroll-delivery@p.iam.gserviceaccount.com; account tallyroll-delivery: expected; gcloud/deploy --project=p
          unbind project|roles/eventarc.eventReceiver|; role of tallyroll-delivery in the project: expected roles/eventarc; gcloud/deploy --project=p
          unbind topic rollup|roles/pubsub.publisher|; publisher to rollup: expected; gcloud/deploy
          set function tallyroll-roll-up VARIABLES/DEBUG=1; tallyroll-roll-up DEBUG: expected none, found 1; gcloud/deploy
          set document rollup_runs/counters fields/count_field/stringValue=Cnt; TOTALS, COUNT_FIELD: expected count, found Cnt; gcloud/deploy
          set policy projects/p/policy/3 combiner=AND; combiner: expected OR, found AND; gcloud/deploy
          set document rollups/likes fields/live_until/timestampValue=2026-01-01T23:57:30Z; s ago and nobody has settled it; gcloud pubsub topics publish rollup --project=p --message=run --attribute=kind=run
          set line l jsonPayload/message=summary, jsonPayload/oldest_lease_ms=130000; a lease ended 130 s ago and nobody has settled it; --attribute=kind=run
          waiting 301; an event has waited for 301 s; tallyroll-on-shard-written
          letters 2; 2 events could not be handled in twenty attempts; deploy/gcloud/replay --project=p
          BUILDING; the index on the count of shards is not ready; gcloud firestore indexes fields
          set function tallyroll-roll-up VARIABLES/SLACK=PT9S; SLACK: expected one value in both functions, found 'PT1S' and 'PT9S'; --slack
          """)
  void condition_isTold(String what, String reason, String command) {
    MatrixIT.prepare(project, what);

    assertTold(reason, command);
  }

  private void assertTold(String reason, String command) {
    assertThat(project.exits(1, "status"))
        .containsPattern("# WRONG: .*" + Pattern.quote(reason))
        .contains(command)
        .containsPattern("\n# Not as it should be: [12], see WRONG above.\n$");
    JsonObject json = JsonParser.parseString(project.exits(1, "status --json")).getAsJsonObject();
    assertThat(json.get("ok").getAsBoolean()).isFalse();
    assertThat(Json.text(json, "wrong.0.reason")).contains(reason);
  }

  @Test
  void controlCharacters_areEscapedInJsonToo() {
    line("e", "a\u009b2Jb");
    project.set("line", "e", "severity=ERROR");

    JsonObject json = JsonParser.parseString(project.exits(1, "status --json")).getAsJsonObject();
    assertThat(project.said()).doesNotContain("\u009b");
    assertThat(Json.text(json, "wrong.0.reason")).contains("a\u009b2Jb");
  }

  @Test
  void driftStorm_isTold() {
    for (int i = 0; i < 11; i++) {
      line("d" + i, "drift corrected: the events of some writes were lost");
      project.set("line", "d" + i, "severity=WARNING");
    }

    assertTold("sweeps put 11 totals right in the last hour", "drift corrected");
    project.all("line").remove("d0");
    project.exits(0, "status");
  }

  /** An event that never succeeds shows as the oldest event, and as a dead letter. */
  @Test
  void eventThatComesAgain_isNoError() {
    line("e", "Failed to execute dev.tallyroll.functions.OnShardWritten: UNAVAILABLE");
    project.set("line", "e", "severity=ERROR");

    project.exits(0, "status");
  }

  /** A first deploy's sweep and first run are still to come. */
  @Test
  void newSystem_isGivenTime() {
    FakeProject fresh = FakeProject.deployed("");

    fresh.exits(0, "status");
    fresh.pause(Duration.ofMinutes(6));
    assertThat(fresh.exits(1, "status")).contains("no run has ended").doesNotContain("no complete");
  }

  @Test
  void json_isOneObject() {
    JsonObject json = JsonParser.parseString(project.exits(0, "status --json")).getAsJsonObject();

    assertThat(json.get("ok").getAsBoolean()).isTrue();
    assertThat(json.getAsJsonArray("wrong")).isEmpty();
    assertThat(Json.text(json, "name")).isEqualTo("tallyroll");
    assertThat(Json.object(json, "facts").get("lag_p99_ms").getAsInt()).isEqualTo(990);
    assertThat(project.said()).hasLineCount(1);
  }

  @Test
  void json_isAnObjectAlsoWithoutAnAnswer() {
    project.fail("topics list", CloudException.DENIED, "no topics.list");

    JsonObject json = JsonParser.parseString(project.exits(1, "status --json")).getAsJsonObject();
    assertThat(Json.text(json, "wrong.0.reason")).contains("needs roles/pubsub.viewer");
  }

  @Test
  void watch_looksAgainUntilItIsStopped() {
    int[] pauses = {0};
    project.afterPause =
        () -> {
          if (pauses[0] == 0) {
            project.fail("topics list", "UNAVAILABLE", "out of order");
          } else if (pauses[0] == 2) {
            throw new IllegalStateException("Ctrl-C");
          }
          pauses[0]++;
        };

    assertThatThrownBy(() -> project.exits(0, "status --watch")).hasMessage("Ctrl-C");

    assertThat(project.said()).containsOnlyOnce("# All is as it should be.");
    assertThat(project.said().split("out of order", -1)).hasSize(3);
  }

  @Test
  void backlog_isNotAskedForWhereNobodyMeasures() {
    project.all("api").remove("monitoring.googleapis.com");
    project.answer("timeSeries", JsonArray::new);

    assertThat(project.exits(0, "status"))
        .contains("# oldest event s  0\n", "# alerts to       nobody (deploy --monitoring)\n");
    assertThat(project.calls).noneMatch(call -> call.contains("timeSeries"));
  }
}
