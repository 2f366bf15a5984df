package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What deploy says at its end when the platform is not as it should be. */
class ITDeployChecks {

  private static final String TRIGGERED = "function-tallyroll-on-shard-written";

  @TempDir static Path original;
  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeAll
  static void deployOnce() throws Exception {
    assertThat(FakeCloud.in(original).run("deploy", "--rules").code()).isZero();
  }

  @BeforeEach
  void copyProject() throws Exception {
    cloud = FakeCloud.at(original).copyTo(folder);
    cloud.forgetCalls();
  }

  @Test
  void triggerWithoutRetry_isReported() throws Exception {
    String kept = cloud.kept(TRIGGERED);
    cloud.keep(TRIGGERED, kept.replace("RETRY_POLICY_RETRY", "RETRY_POLICY_DO_NOT_RETRY"));

    assertReported("expected RETRY_POLICY_RETRY, found RETRY_POLICY_DO_NOT_RETRY: lost events");
  }

  @Test
  void openIngress_isReported() throws Exception {
    cloud.keep(TRIGGERED, cloud.kept(TRIGGERED).replace("ALLOW_INTERNAL_ONLY", "ALLOW_ALL"));

    assertReported("expected ingress ALLOW_INTERNAL_ONLY, found ALLOW_ALL");
  }

  @Test
  void publicInvoker_isReported() throws Exception {
    String invokers = "invokers-tallyroll-roll-up";
    cloud.keep(invokers, cloud.kept(invokers) + "\nallUsers");

    assertReported("tallyroll-roll-up: expected no public invoker");
  }

  @Test
  void missingInvoker_isReported() throws Exception {
    cloud.answer("^run services get-iam-policy tallyroll-on", 0, "user:somebody@else");

    assertReported("expected tallyroll-delivery@p.iam.gserviceaccount.com as invoker");
  }

  @ParameterizedTest
  @CsvSource({"on-shard-written, 60, 120", "roll-up, 10, 600"})
  void shortAckDeadline_isReported(String who, String found, String expected) throws Exception {
    cloud.answer("^pubsub subscriptions describe .*" + who, 0, found);

    assertReported("expected an ack deadline of " + expected + " s, found '" + found + "'");
  }

  @Test
  void unknownSubscription_isReportedAndEndsNothing() throws Exception {
    cloud.answer("^eventarc triggers describe .*roll-up", 0, "");

    assertReported("expected a subscription of tallyroll-roll-up, found none");
    assertThat(cloud.calls()).anyMatch(call -> call.contains("topics publish"));
  }

  @Test
  void otherJvmOptions_areReported() throws Exception {
    cloud.keep(TRIGGERED, cloud.kept(TRIGGERED).replaceAll("-XX:MaxRAMPercentage=\\d+ ", ""));

    assertReported("expected JAVA_TOOL_OPTIONS=-XX:MaxRAMPercentage=");
  }

  @Test
  void pausedJob_isReported() throws Exception {
    cloud.answer("^scheduler jobs describe tallyroll-run.*value\\(state", 0, "PAUSED");

    assertReported("tallyroll-run: expected an ENABLED job, found PAUSED");
  }

  @Test
  void indexInTheMaking_isReported() throws Exception {
    cloud.keep("indexes", cloud.kept("indexes").replace("READY", "CREATING"));

    assertReported("index (live_lane, live_until) on rollups: expected READY");
  }

  @Test
  void rulesOfANamedDatabase_haveTheirOwnRelease() throws Exception {
    cloud.run(
        "deploy", "--database=other", "--name=other", "--rollup-topic=other", "--rules=strict");

    assertThat(cloud.calls())
        .anyMatch(call -> call.contains("/v1/projects/p/releases/cloud.firestore/other"));
  }

  private void assertReported(String words) {
    Shell.Result result = cloud.run("deploy", "--rules");

    assertThat(result.code()).as(result.text()).isEqualTo(1);
    assertThat(result.text()).contains("# WRONG: ", words, "# Not as it should be: 1, see WRONG");
  }
}
