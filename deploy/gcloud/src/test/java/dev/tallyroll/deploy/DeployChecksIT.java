package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What deploy says at its end when the platform is not as it should be. */
class DeployChecksIT {

  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeEach
  void copyProject() throws Exception {
    cloud = FakeCloud.deployed(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          function-tallyroll-on-shard-written; RETRY_POLICY_RETRY; RETRY_POLICY_DO_NOT_RETRY; expected RETRY_POLICY_RETRY, found RETRY_POLICY_DO_NOT_RETRY: lost events
          function-tallyroll-on-shard-written; ALLOW_INTERNAL_ONLY; ALLOW_ALL; expected ingress ALLOW_INTERNAL_ONLY, found ALLOW_ALL
          function-tallyroll-on-shard-written; '-XX:MaxRAMPercentage=\\d+ '; ''; expected JAVA_TOOL_OPTIONS=-XX:MaxRAMPercentage=
          indexes; READY; CREATING; index (live_lane, live_until) on rollups: expected READY
          """)
  void whatWasChanged_isReported(String kept, String part, String by, String words)
      throws Exception {
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
  void unexpectedAnswer_isReported(String question, String answer, String words) throws Exception {
    cloud.answer("^" + question, 0, answer);

    assertReported(words);
  }

  private void assertReported(String words) {
    assertThat(cloud.exits(1, "deploy", "--rules"))
        .contains("# WRONG: ", words, "# Not as it should be: 1, see WRONG");
    // It ends nothing.
    assertThat(cloud.calls()).anyMatch(call -> call.contains("topics publish"));
  }

  @Test
  void rulesOfANamedDatabase_haveTheirOwnRelease() {
    cloud.exits(
        0,
        "deploy",
        "--database=other",
        "--name=other",
        "--rollup-topic=other",
        "--rules=strict",
        "--replace-rules");

    assertThat(cloud.calls())
        .anyMatch(call -> call.contains("/v1/projects/p/releases/cloud.firestore/other"));
  }
}
