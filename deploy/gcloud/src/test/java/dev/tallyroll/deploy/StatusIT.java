package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** status tells each thing that is wrong, and changes nothing; smoke and canary prove it. */
class StatusIT {
  private final Project project = Project.deployed();

  /** An old deployment with a healthy log. */
  @BeforeEach
  void live() {
    project.put("old");
    project.put("log-runs", "\"run ended\"", "2026-11-23T00:00:00Z");
    project.put("log-sweeps", "jsonPayload.complete=\"true\"", "2026-11-23T00:00:00Z");
  }

  @Test
  void healthy_isContent() {
    assertThat(project.exits(0, "status")).contains("All is as it should be.");
    assertThat(project.changes()).isEmpty();
    assertThat(project.calls()).noneMatch(one -> one.contains("alpha") || one.contains("beta"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          log-runs; x; no run has ended for three minutes; scheduler jobs describe tallyroll-run
          log-sweeps; x; no complete sweep for two hours; topics publish rollup --message=sweep
          log-overdue; oldest_lease_ms>120000|2026; a lease ended more than two minutes ago; --attribute=kind=run
          waits; 301; an event has waited for 301 s; gcloud logging read
          log-errors; severity>=ERROR|2026 tallyroll-roll-up no; errors in the last hour, the last: 2026; logging read
          jobs/tallyroll-run; state=PAUSED; expected it ENABLED, found PAUSED; scheduler jobs resume
          jobs/tallyroll-run; state=ENABLED|code=7; failed at its last attempt: code 7; scheduler jobs run
          subscriptions/eventarc-tallyroll-roll-up; 10; expected an ack deadline of 600 s, found 10; deploy/gcloud/deploy
          bindings; x; tallyroll-delivery: expected roles/eventarc.eventReceiver; deploy/gcloud/deploy
          topic-rollup; x; expected roles/pubsub.publisher on the topic; deploy/gcloud/deploy
          run-tallyroll-roll-up; x; as invoker, found others; deploy/gcloud/deploy
          run-tallyroll-roll-up; allUsers|roles/run.invoker; anybody may call it; --member=allUsers
          functions/tallyroll-roll-up; state=FAILED; expected it to be ACTIVE, found FAILED; deploy/gcloud/deploy
          """)
  void whatIsWrong_isToldWithACommand(String file, String lines, String words, String command) {
    boolean isMember = lines.contains("allUsers");
    project.put(file, isMember ? new String[] {lines} : lines.split("\\|", -1));

    String said = project.exits(1, "status");

    assertThat(said).contains("WRONG: ").contains(words).contains(command);
    assertThat(project.changes()).isEmpty();
  }

  @Test
  void newDeployment_hasNotHadTheTime() {
    project.remove("old");
    project.remove("log-runs");
    project.remove("log-sweeps");

    project.exits(0, "status");
  }

  @Test
  void settingsOfTheFile_areCompared() {
    project.settings("TICK=PT2S", "LEASE=PT6S", "POLLED=", "HOLD=PT30S", "PRECISION=0.1");

    assertThat(project.exits(1, "status"))
        .contains("TICK: PT1S -> PT2S", "LEASE: none -> PT6S", "POLLED: polled_counters -> ")
        .contains("HOLD: PT0S -> PT30S", "PRECISION: 0.01 -> 0.1");
  }

  @Test
  void questionWithoutAnAnswer_isNoGoodNews() {
    project.fails("*logging read*", 99, "PERMISSION_DENIED: no");
    assertThat(project.exits(1, "status")).contains("PERMISSION_DENIED").doesNotContain("All is");
    assertThat(project.calls()).noneMatch(one -> one.get(0).equals("sleep"));
  }

  @Test
  void smoke_countsAndCleansUp() {
    project.put("total", "5");

    assertThat(project.exits(0, "smoke")).contains("the total is 5; lag 750 ms");
    assertThat(project.changes()).hasSize(14).element(6).asString().contains("\"delete\"");
    assertThat(project.changes().get(13)).contains("\"delete\"", "/polled_counters/tallyroll-");

    project.settings("POLLED=");
    project.forgetCalls();
    project.exits(0, "smoke");
    assertThat(project.changes()).hasSize(7);
  }

  @Test
  void smoke_waitsTenMinutesForANewTrigger() {
    project.put("total", "4");

    assertThat(project.exits(1, "smoke")).contains("a new trigger takes minutes", "found none");
    assertThat(project.calls()).filteredOn(List.of("sleep", "5")::equals).hasSize(120);
  }

  @Test
  void canary_reportsAndLeavesNothing() {
    Project empty = Project.empty();
    empty.put("total", "5");

    String said = empty.exits(0, "canary");

    assertThat(said).contains("| Is status content? | exit code 0 |", "it ended; yes");
    assertThat(empty.things().keySet())
        .noneMatch(one -> one.matches("(functions|jobs|accounts)/.*"));
    assertThat(empty.things().entrySet())
        .filteredOn(one -> one.getKey().startsWith("canary-answers/"))
        .hasSizeGreaterThan(10)
        .noneMatch(one -> one.getValue().contains("p.iam.gserviceaccount.com"));
  }

  @Test
  void canaryWithoutAnswers_saysSo() {
    Project empty = Project.empty();
    empty.fails("*curl*commit*", 99, "no");

    assertThat(empty.exits(0, "canary")).contains("| not determined |");
    assertNothingIsLeft(empty);
  }

  @Test
  void canaryThatIsStopped_removesAllTheSame() {
    Project empty = Project.empty();
    List<String> canary =
        List.of(Shell.SCRIPTS.resolve("canary").toString(), "--project=p", "--region=us-central1");

    Shell.Result result =
        empty.shell(
            Stream.concat(Stream.of("timeout", "--signal=INT", "2"), canary.stream()).toList());

    assertThat(result.code()).as(result.text()).isNotZero();
    assertNothingIsLeft(empty);
  }

  private static void assertNothingIsLeft(Project project) {
    assertThat(project.things().keySet())
        .noneMatch(one -> one.matches("(functions|jobs|accounts|topics)/.*"));
  }
}
