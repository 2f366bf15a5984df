package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** deploy in a project that it has made: what it does again, and what it says is not right. */
class DeployAgainIT {

  static final String SWEEP =
      "gcloud pubsub topics publish rollup --project=p --message=sweep --attribute=kind=sweep";

  private final FakeCloud cloud = FakeCloud.deployed();

  @Test
  void sameDeploy_changesNothingAndSweeps() {
    cloud.exits(0, "deploy --rules");

    assertThat(cloud.changes()).containsExactly(SWEEP);
  }

  @Test
  void newArtifactOrSetting_deploysBothFunctionsAgain() {
    cloud.keep("artifact/libs/other.jar", "a newer jar");

    cloud.exits(0, "deploy");
    cloud.exits(0, "deploy --slack=PT2S");

    assertThat(cloud.changes()).hasSize(6);
    assertThat(cloud.changes().subList(0, 2)).allMatch(call -> call.contains("functions deploy"));
    assertThat(cloud.changes().subList(3, 5)).allMatch(call -> call.contains(",SLACK=PT2S,"));
  }

  @Test
  void failedFunction_isDeployedAgain() {
    String good = cloud.kept("function-tallyroll-roll-up");
    cloud.keep("function-tallyroll-roll-up", good.replace("ACTIVE", "FAILED"));

    cloud.exits(0, "deploy");

    assertThat(cloud.kept("function-tallyroll-roll-up")).isEqualTo(good);
  }

  @Test
  void anotherPattern_isReportedAndLeftAlone() {
    assertThat(cloud.exits(2, "deploy --counters=rooms/{room}/counters"))
        .contains("expected document=rooms/{room}/counters/{counter}/shards/{shard} database=")
        .contains("found    database=(default) document=counters/{counter}/shards/{shard}");
    assertThat(cloud.changes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          function-tallyroll-on-shard-written; RETRY_POLICY_RETRY; RETRY_POLICY_DO_NOT_RETRY; expected RETRY_POLICY_RETRY, found RETRY_POLICY_DO_NOT_RETRY: lost events
          function-tallyroll-on-shard-written; ALLOW_INTERNAL_ONLY; ALLOW_ALL; expected ingress ALLOW_INTERNAL_ONLY, found ALLOW_ALL
          function-tallyroll-on-shard-written; '-XX:MaxRAMPercentage=\\d+ '; ''; expected JAVA_TOOL_OPTIONS=-XX:MaxRAMPercentage=
          """)
  void whatWasChanged_isReported(String kept, String part, String by, String words) {
    cloud.keep(kept, cloud.kept(kept).replaceAll(part, by));

    assertReported(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          run services get-iam-policy tallyroll-on; user:somebody@else; expected tallyroll-delivery@p.iam.gserviceaccount.com as invoker
          run services get-iam-policy tallyroll-roll; serviceAccount:tallyroll-delivery@p.iam.gserviceaccount.com\\nallUsers; tallyroll-roll-up: expected no public invoker
          pubsub subscriptions describe .*on-shard-written; 60; expected an ack deadline of 120 s, found '60'
          pubsub subscriptions describe .*roll-up; 10; expected an ack deadline of 600 s, found '10'
          eventarc triggers describe .*roll-up; ''; expected a subscription of tallyroll-roll-up, found none
          scheduler jobs describe tallyroll-run.*value\\(state; PAUSED; tallyroll-run: expected an ENABLED job, found PAUSED
          """)
  void unexpectedAnswer_isReported(String question, String answer, String words) {
    cloud.answer("^" + question, 0, answer);

    assertReported(words);
  }

  private void assertReported(String words) {
    assertThat(cloud.exits(1, "deploy --rules"))
        .contains("# WRONG: ", words, "# Not as it should be: 1, see WRONG");
    // It ends nothing.
    assertThat(cloud.calls()).anyMatch(call -> call.contains("topics publish"));
  }

  @Test
  void rulesOfANamedDatabase_haveTheirOwnRelease() {
    cloud.exits(
        0,
        "deploy --database=other --name=other --rollup-topic=other --rules=strict --replace-rules");

    assertThat(cloud.calls())
        .anyMatch(call -> call.contains("/v1/projects/p/releases/cloud.firestore/other"));
  }
}
