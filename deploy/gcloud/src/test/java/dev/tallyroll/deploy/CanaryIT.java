package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Runs the canary with a stand-in for gcloud. The official emulator answers its questions to
 * Firestore, and takes its increments; the functions run beside it.
 */
class CanaryIT {
  /** The canary's first settings. Here, events count also what it sums without them. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "NAME",
          "tally-canary",
          "TOTALS",
          """
          {"canary": {
            "of": "{parent=**}/tallyroll_canary_counters/{counter}/tallyroll_canary_shards",
            "sum": "count", "into": {"count": "number"}, "rollups": "tallyroll_canary_rollups"},
          "canary-likes": {
            "of": "tallyroll_canary_counters/{counter}/tallyroll_canary_likes",
            "sum": "n", "where": {"shown": true},
            "into": {"count": "likes"}, "rollups": "tallyroll_canary_likes_rollups"}}
          """);

  /**
   * Images and sources of other people's functions. Each name is almost one of the canary's, or
   * contains one.
   */
  private static final List<String> OTHERS =
      List.of(
          "images/p__us--central1__my--tally--canary--roll--up",
          "images/p__us--central1__tally--canary--roll--up--2",
          "images/p__us--central1__tally--canary__roll--up",
          "sources/tally-canary-roll-up-2",
          "sources/tally-canary-roll");

  /** One in which it has run, beside another deployment; SyntaxIT reads its calls. */
  static final Project PROJECT = withOthers();

  private static final Shell.Result RESULT = run();

  private static Shell.Result run() {
    var options =
        new LocalCloudOptions()
            .project("p")
            .settings(SETTINGS)
            .schedule(Duration.ofSeconds(3))
            .log(line -> {});
    try (var cloud = LocalCloud.start(options);
        var fold = LocalCloud.start(fold().beside(cloud))) {
      PROJECT.put(
          "waits", // Cloud Monitoring's answer to any question
          "{\"timeSeries\": [{\"points\": [{\"value\": {",
          "  \"int64Value\": \"2\"",
          "}}, {\"value\": {",
          "  \"int64Value\": \"1\"",
          "}}]}]}");
      PROJECT.emulator = fold.firestoreHost(); // it is that of both
      // An emulator's sum may lack a commit that is in flight, and this machine may be busy.
      String words = "--seconds 2 --slack 1 --late 100 --project=p --region us-central1";
      String canary = Shell.SCRIPTS.resolve("canary") + " " + words + " > both-streams 2>&1";
      int code = PROJECT.shell(List.of("bash", "-c", canary)).code();
      return new Shell.Result(code, String.join("\n", PROJECT.lines("both-streams")));
    }
  }

  private static LocalCloudOptions fold() {
    return new LocalCloudOptions()
        .project("p")
        .settings(
            Map.of(
                "FOLD", "PT1S",
                "FOLD_DOCUMENTS", "tallyroll_canary_folded/{page}"))
        .schedule(Duration.ofSeconds(3))
        .log(line -> {});
  }

  @Test
  void canary_seesThatAllIsRight() {
    // One of thirty of an emulator's sums beside commits lacks one of them.
    assertThat(RESULT.text().lines())
        .as(RESULT.text())
        .filteredOn(line -> line.endsWith("| no |"))
        .allMatch(
            line ->
                line.startsWith("| a sum beside commits is of one moment")
                    || line.startsWith(
                        "| a sum with an equality is refused without one | the sum"));
    assertThat(RESULT.text())
        .contains("gcloud iam service-accounts create tally-canary-build") // its first change
        .contains("| a sum and a read at the time of a commit see it | 11 22 33 44 55 | yes |")
        .contains("| FAILED_PRECONDITION, 6 and 0 | yes |")
        .containsPattern("of one moment: 20 \\| .*20 \\(\\d+ times\\) \\|")
        .containsPattern(
            "lag, cold: 1 increments, .*; lag, warm: \\d+ increments, .*; right: .*yes \\|")
        .contains("| 3 writes, 3 reads | to compare |")
        .contains("| the trigger is where the database is, in us-central1 | us-central1 | yes |")
        .contains("| 600 s, kept for 86400s | yes |")
        .contains("| cpu-throttling: true startup-cpu-boost: true | yes |")
        .containsPattern("both entries show in the document above, .* \\| the total is 5;.* yes")
        .containsPattern(
            "sums a counter that has no events \\| the total is 5; lag \\d+ ms \\| yes")
        .containsPattern("folded into their document \\| the total is 5; lag \\d+ ms \\| yes")
        .containsPattern("it ended, [12] rows are not right; all that it looked for is removed");
  }

  @Test
  void canary_leavesNothing() {
    assertLeft(PROJECT, OTHERS);
    assertThat(RESULT.text()).contains("# Deleted documents of the canary: ");
    assertThat(PROJECT.calls())
        .noneMatch(
            call -> String.join(" ", call).matches(".*(bulk-delete|--recursive).*firestore.*"));
    assertThat(PROJECT.things().entrySet())
        .filteredOn(one -> one.getKey().startsWith("canary-answers/"))
        .hasSizeGreaterThan(10)
        .noneMatch(one -> one.getValue().contains("p.iam.gserviceaccount.com"));
  }

  /**
   * Without a function, nothing is proved. And in a real project, images might have other names.
   */
  @Test
  void whatIsNotThere_isTold() {
    Project unbuilt = withOthers();
    unbuilt.given("fails *functions deploy*|9|no");

    assertThat(unbuilt.exits(1, "canary"))
        .contains("| the trigger is where the database is, in us-central1 | not determined | no |")
        .contains("# There is no image p__us--central1__tally--canary--roll--up.")
        .contains("# There is no gs://gcf-v2-sources-12345-us-central1/tally-canary-roll-up/.")
        .contains("it ended early, 2 rows are not right; all that it looked for is removed");
    assertLeft(unbuilt, OTHERS);
  }

  @Test
  void deploymentThatIsRefused_changesNothing() {
    Project refused = withOthers();
    refused.put("database", "{\"locationId\": \"us-central1\", \"type\": \"DATASTORE_MODE\"}");

    assertThat(refused.exits(2, "canary")).doesNotContain("| assumed |");

    assertThat(refused.changes()).isEmpty();
    assertLeft(refused, OTHERS);
  }

  @Test
  void canaryThatIsStopped_removesAllTheSame() {
    Project stopped = withOthers();
    stopped.given("interrupt *functions deploy*roll-up*");
    String canary = Shell.SCRIPTS.resolve("canary").toString();

    Shell.Result result =
        stopped.shell(List.of("setsid", "--wait", canary, "--project=p", "--region=us-central1"));

    assertThat(result.code()).as(result.text()).isEqualTo(1);
    assertThat(result.text()).contains("it ended early", "all that it looked for is removed");
    assertThat(stopped.changes()).anyMatch(one -> one.contains("accounts create"));
    assertLeft(stopped, OTHERS);
  }

  private static Project withOthers() {
    Project project = Project.empty();
    OTHERS.forEach(one -> project.put(one, "somebody's"));
    return project;
  }

  private static void assertLeft(Project project, List<String> built) {
    assertThat(project.things().keySet())
        .noneMatch(one -> one.matches("(functions|triggers|jobs|accounts|topics|indexes)/.*"));
    assertThat(project.built()).containsExactlyInAnyOrderElementsOf(built);
  }

  @Test
  void historyOfTheRun_isJudgedAgain() {
    Project copy = new Project();
    copy.put("history.tsv", PROJECT.lines("canary-answers/history.tsv").toArray(String[]::new));
    copy.put("short.tsv", "increment\t2026-11-27T10:00:00Z\t1");
    String canary = Shell.SCRIPTS.resolve("canary").toString();

    assertThat(copy.shell(List.of(canary, "--check", "history.tsv")).code()).isZero();
    assertThat(copy.shell(List.of(canary, "--check=short.tsv")))
        .isEqualTo(
            new Shell.Result(
                1,
                """
                1 increments, 0 versions of the total in 0 reads
                unknown: no read tells whether 1 increments showed in time
                """));
    assertThat(copy.shell(List.of(canary, "--check", "none.tsv")))
        .isEqualTo(new Shell.Result(2, "--check: expected a file; found 'none.tsv'\n"));
  }
}
