package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts' command lines: values that they take, and values that they refuse at once. */
class OptionsIT {

  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]+");

  private final Path folder = Shell.newFolder();

  @ParameterizedTest
  @ValueSource(strings = {"canary", "deploy", "destroy", "replay", "smoke", "status"})
  void help_isAnsweredAnywhereAndNamesEveryOption(String command) {
    Shell.Result help = bash(Shell.SCRIPTS.resolve(command) + " --project=p --help");

    assertThat(help.code()).isZero();
    assertThat(help.text())
        .startsWith("Usage: " + command + " --project ID --region REGION")
        .containsPattern("Examples?:\n  " + command + " ")
        .contains("\nExit: 0 ", ", 2 ");
    assertThat(bash(Shell.SCRIPTS.resolve(command) + " -h")).isEqualTo(help);
    Set<String> options = new TreeSet<>(Arguments.options(command));
    options.add("--help");
    assertThat(OPTION.matcher(help.text()).results().map(MatchResult::group).distinct())
        .containsExactlyInAnyOrderElementsOf(options);
  }

  @ParameterizedTest
  @CsvSource({
    "deploy, '', --project: expected a project's id",
    "deploy, --project=p, --region: expected a region such as us-central1",
    "smoke, --project, Missing required parameter for option '--project' (VALUE)",
    "deploy, --dry-run=yes, option '--dry-run' should be specified without 'yes' parameter",
    "deploy, --ticks=PT1S, Unknown option: '--ticks=PT1S'",
    "deploy, -x, Unknown option: '-x'",
    "deploy, counters, Unmatched argument at index 0: 'counters'",
    "destroy, --rules, Unknown option: '--rules'",
    "smoke, --runtime=java21, Unknown option: '--runtime=java21'",
    "status, --yes, Unknown option: '--yes'",
    "smoke, --bill, Unknown option: '--bill'",
    "canary, --yes, Unknown option: '--yes'"
  })
  void wrongWord_isRefused(String command, String option, String words) {
    List<String> options = option.isEmpty() ? List.of() : List.of(option);
    FakeProject project = FakeProject.empty();

    assertThat(Main.run(command, options, one -> project, project, Shell.ROOT, folder))
        .isEqualTo(2);
    assertThat(project.said()).startsWith(command + ": " + words).hasLineCount(1);
    assertThat(project.calls).isEmpty();
  }

  private Shell.Result bash(String command) {
    return Shell.run(Map.of(), folder, List.of("bash", "-c", command));
  }

  @Test
  void value_followsBehindABlankOrAnEqualsSignOrInAFile() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("e"),
            "# ours\nSLACK=PT2S\n\nCOUNT_FIELD=Count\nFIRESTORE_DATABASE=other\n");

    String options = "--slack=PT2S --count-field=Count --database=other --rules=strict";

    String text = text(options);

    assertThat(text).contains(",SLACK=PT2S,", ",COUNT_FIELD=Count,");
    assertThat(text(options.replace('=', ' '))).isEqualTo(text);
    assertThat(text("--env-file=" + file + " --rules strict")).isEqualTo(text);
  }

  private static String text(String options) {
    Plan plan = Plan.of("deploy " + options);
    return plan.text().replace(plan.folder().toString(), "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          --project=P; PROJECT: expected a project's id, found 'P'
          --region=us; REGION: expected a region such as us-central1, found 'us'
          --database=Default; FIRESTORE_DATABASE: expected (default) or a database's id, found 'Default'
          --trigger-location=europe; TRIGGER_LOCATION: expected the database's location
          --counters=; COUNTERS: expected a path that starts and ends with a collection
          --counters=rooms/{room}; COUNTERS: expected a path that starts and ends with a collection
          --counters={room}/x; COUNTERS: expected a path that starts and ends with a collection
          --counters={parent=**}/a/{b}/c; COUNTERS: expected a path that starts and ends with a collection
          --counters=a/{b=**}/c; COUNTERS: expected a path that starts and ends with a collection
          --counters=rooms/{room}/x/{room}/counters; COUNTERS: expected each variable once, found '{room} again'
          --counters=a/{a}/b/{b}/c/{c}/d/{b}/counters; COUNTERS: expected each variable once, found '{b} again'
          --counters=a/__b__/counters; COUNTERS: expected names that Firestore does not reserve, found '__b__'
          --counters=passes; COUNTERS: expected a name that no other collection has, found 'passes'
          --counters=live --anywhere; COUNTERS: expected a name that no other collection has, found 'live'
          --rollups-collection=live; ROLLUPS_COLLECTION: expected a name that no other collection has, found 'live'
          --counters=shards; SHARDS_COLLECTION: expected a name that no other collection has, found 'shards'
          --rollups-collection=shards; expected a name that no other collection has
          --runs-collection=counters; expected a name that no other collection has
          --shards-collection=passes; expected a name that no other collection has
          --shards-collection=a/b; SHARDS_COLLECTION: expected a collection's name
          --shards-collection=a,b; SHARDS_COLLECTION: expected a collection's name
          --runs-collection=__x__; RUNS_COLLECTION: expected a name that Firestore does not reserve
          --count-field=a.b; COUNT_FIELD: expected a field's name
          --tick=1s; TICK: expected an ISO-8601 duration such as PT1S, found '1s'
          --lease=PT; LEASE: expected an ISO-8601 duration such as PT1S, found 'PT'
          --tick=PT0.05S; TICK: expected PT0.1S to PT1M, found 'PT0.05S'
          --tick=PT1M0.001S; TICK: expected PT0.1S to PT1M, found 'PT1M0.001S'
          --tick=PT2S; LEASE: expected three times TICK to PT10M, found 'PT5S'
          --lease=PT2.999S; LEASE: expected three times TICK to PT10M, found 'PT2.999S'
          --slack=PT61S; SLACK: expected PT0S to PT1M, found 'PT61S'
          --run=PT9M; RUN: expected two times TICK to PT530S, found 'PT9M'
          --idle-exit=PT2M; IDLE_EXIT: expected TICK to RUN, found 'PT2M'
          --sweep=PT8M50.5S; SWEEP: expected PT1S to PT530S, found 'PT8M50.5S'
          --idle-exit=PT0.5S; IDLE_EXIT: expected TICK to RUN, found 'PT0.5S'
          --sweep-counters=99; SWEEP_COUNTERS: expected a number from 100 to 10000000, found '99'
          --sweep-counters=10000001; SWEEP_COUNTERS: expected a number from 100 to 10000000, found '10000001'
          --sweep-counters=0100; SWEEP_COUNTERS: expected a number from 100 to 10000000, found '0100'
          --burst=1; BURST: expected a number from 2 to 100, found '1'
          --burst=101; BURST: expected a number from 2 to 100, found '101'
          --burst=2.5; BURST: expected a number from 2 to 100, found '2.5'
          --burst=; BURST: expected a number from 2 to 100, found ''
          --workers=0; WORKERS: expected a number from 1 to 64, found '0'
          --workers=65; WORKERS: expected a number from 1 to 64, found '65'
          --lanes=16; Unknown option: '--lanes=16'
          --reset=lanes; --reset: expected the name of a setting's flag, found '--lanes'
          --runtime=java11; RUNTIME: expected java17, java21 or java25, found 'java11'
          --max-instances=0; MAX_INSTANCES: expected a number from 1 to 9999, found '0'
          --roller-cpu=.07; ROLLER_CPU: expected .08 to .999, 1, 2, 4, 6 or 8, found '.07'
          --roller-cpu=3; ROLLER_CPU: expected .08 to .999, 1, 2, 4, 6 or 8, found '3'
          --roller-memory=1G; ROLLER_MEMORY: expected an amount such as 512Mi or 1Gi, found '1G'
          --roller-memory=1Gi; ROLLER_MEMORY: expected 128Mi to 512Mi with 0.333 vCPU, found '1Gi'
          --roller-memory=8Gi --roller-cpu=1; ROLLER_MEMORY: expected 128Mi to 4096Mi with 1 vCPU, found '8Gi'
          --roller-memory=1Gi --roller-cpu=4; ROLLER_MEMORY: expected 2048Mi to 16384Mi with 4 vCPU, found '1Gi'
          --rules=some; RULES: expected plain or strict, found 'some'
          --rules --rules-variants=up; RULES_VARIANTS: expected some of once, down, list, more
          --sum=sum; SUM: expected aggregate or documents, found 'sum'
          --rollup-topic=google; ROLLUP_TOPIC: expected a topic's id of 3 to 255 characters that does not start with goog
          --rollup-topic=a\tb; ROLLUP_TOPIC: expected a topic's id
          --name=a-name-that-is-long; NAME: expected a name of 2 to 13 small letters
          --rules-variants=once; RULES_VARIANTS: expected --rules with it, found 'once'
          --rules --rules-variants=down,list --anywhere; RULES_VARIANTS: expected no list for counters under any parent
          --env-file=/nowhere; --env-file: expected a readable file, found '/nowhere'
          """)
  void malformedSetting_isRefused(String option, String words) {
    assertRefused(option, words);
  }

  @Test
  void overlongName_isRefusedInFewWords() {
    assertRefused(
        "--counters=" + "a/".repeat(500) + "counters",
        "COUNTERS: expected at most 1000 characters, found '1008 of them'");
    assertRefused(
        "--shards-collection=" + "s".repeat(1501),
        "SHARDS_COLLECTION: expected at most 1500 characters, found '1501 of them'");
  }

  private static void assertRefused(String option, String words) {
    assertThat(Plan.of("deploy " + option).ended(2)).contains("deploy: ", words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--project=example.com:p",
        "--counters=rooms/{room}/counters",
        "--counters=rooms/lobby/tables/{table}/counters",
        "--counters={parent=**}/tallies",
        "--rollup-topic=a.b_~+%-",
        "--run=PT8M50S",
        "--sweep=PT530S",
        "--tick=PT0.1S",
        "--lease=PT3S",
        "--slack=PT0S",
        "--run=PT1M08.090S",
        "--burst=2",
        "--burst=100",
        "--workers=64",
        "--sweep-counters=100",
        "--sweep-counters=10000000",
        "--idle-exit=PT1M10S",
        "--roller-cpu=.08",
        "--roller-cpu=0.5 --roller-memory=1Gi",
        "--roller-cpu=8 --roller-memory=32Gi",
        "--rules=strict --rules-variants=once,down,list,more"
      })
  void goodSetting_isTaken(String option) {
    Plan.of("deploy " + option).ended(0);
  }

  @ParameterizedTest
  @CsvSource({
    "'', PT1S",
    "--tick=PT1.5S, PT1.5S",
    "--idle-exit= --tick=PT0.5S, PT0.5S",
    "--tick=PT0.5S --idle-exit=PT5S, PT5S"
  })
  void idleExit_isATickUnlessOneIsGiven(String options, String idleExit) {
    assertThat(text(options)).contains(",IDLE_EXIT=" + idleExit + ",");
  }
}
