package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs the canary with a stand-in for gcloud. The official emulator answers its questions to
 * Firestore, and takes its increments; the functions run beside it.
 */
class CanaryIT {
  /** As the canary deploys them first. Here, events count also what it sums without them. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "COUNTERS", "{parent=**}/tallyroll_canary_counters",
          "SHARDS_COLLECTION", "tallyroll_canary_shards",
          "ROLLUPS_COLLECTION", "tallyroll_canary_rollups",
          "INCREMENTS_COLLECTION", "tallyroll_canary_names",
          "ROLLUP_TOPIC", "tallyroll-canary",
          "NUMBER_FIELD", "number");

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
    try (var cloud = LocalCloud.start(options)) {
      String beside = "us-east1|tallyroll|counters|(default)|shards";
      PROJECT.given(
          "neighbours %s && waits 200 && emulator %s".formatted(beside, cloud.firestoreHost()));
      // An emulator's sum may lack a commit that is in flight, and this machine may be busy.
      return PROJECT.run("canary --seconds 2 --slack 1 --late 100");
    }
  }

  @Test
  void canary_seesThatAllIsRight() {
    // One of thirty of an emulator's sums beside commits lacks one of them.
    assertThat(RESULT.text().lines())
        .as(RESULT.text())
        .filteredOn(line -> line.endsWith("| no |"))
        .allMatch(line -> line.startsWith("| a sum beside commits is of one moment"));
    assertThat(RESULT.text())
        .contains("| a sum and a read at the time of a commit see it | 11 22 33 44 55  | yes |")
        .contains("| FAILED_PRECONDITION, 6 and 0 | yes |")
        .containsPattern("of one moment: 20 \\| .*20 \\(\\d+ times\\) \\|")
        .containsPattern("\\| cold: 1 increments, .*; warm: \\d+ increments, .*; right: .*yes \\|")
        .containsPattern("writes of these seconds: \\d+ increments and \\d+ totals.*\\| 200 \\|")
        .containsPattern("RollUp sums a counter that has no events: its lag \\| \\d+ ms \\| yes")
        .containsPattern("it ended, [01] rows are not right; all is removed");
  }

  @Test
  void canary_leavesNothing() {
    assertLeft(PROJECT, OTHERS);
    assertThat(PROJECT.lines("bulk-deleted"))
        .last()
        .asString()
        .contains(
            SETTINGS.values().stream()
                .map(name -> name.substring(name.lastIndexOf('/') + 1))
                .filter(name -> name.startsWith("tallyroll_canary"))
                .toList());
    assertThat(PROJECT.things().entrySet())
        .filteredOn(one -> one.getKey().startsWith("canary-answers/"))
        .hasSizeGreaterThan(10)
        .noneMatch(one -> one.getValue().contains("p.iam.gserviceaccount.com"));
  }

  /** It counts nothing: no total would come. */
  @Test
  void deploymentThatCountsNothing_isToldAndRemoved() {
    Project broken = withOthers();
    broken.given("fails *curl*commit*|1|no");

    assertThat(broken.exits(1, "canary"))
        .contains("the conditions of the roles hold | not determined | no |")
        .contains("it ended early, 1 rows are not right; all is removed");
    assertLeft(broken, OTHERS);
  }

  /** In a real project, images might have other names. */
  @Test
  void whatIsNotFound_isTold() {
    Project unbuilt = Project.empty();
    unbuilt.given("fails *functions deploy*|9|no");

    assertThat(unbuilt.exits(1, "canary"))
        .contains("# There is no image p__us--central1__tally--canary--roll--up.")
        .contains("# There is no gs://gcf-v2-sources-12345-us-central1/tally-canary-roll-up/.");
  }

  @Test
  void canaryThatIsStopped_removesAllTheSame() {
    Project empty = Project.empty();
    String canary = Shell.SCRIPTS.resolve("canary").toString();

    Shell.Result result =
        empty.shell(
            List.of("timeout", "--signal=INT", "2", canary, "--project=p", "--region=us-central1"));

    assertThat(result.code()).as(result.text()).isNotZero();
    assertLeft(empty, List.of());
  }

  private static Project withOthers() {
    Project project = Project.empty();
    OTHERS.forEach(one -> project.put(one, "somebody's"));
    return project;
  }

  private static void assertLeft(Project project, List<String> built) {
    assertThat(project.things().keySet())
        .noneMatch(one -> one.matches("(functions|jobs|accounts|topics)/.*"));
    assertThat(project.built()).containsExactlyInAnyOrderElementsOf(built);
  }

  /** The history of the run, with a line changed; its first lines are its bounds. */
  private static Shell.Result judged(UnaryOperator<List<String>> falsified) {
    Project copy = new Project();
    List<String> history = falsified.apply(new ArrayList<>(history()));
    copy.put("history.tsv", history.toArray(String[]::new));
    return copy.shell(
        List.of(Shell.SCRIPTS.resolve("canary").toString(), "--check", "history.tsv"));
  }

  private static List<String> history() {
    return PROJECT.lines("canary-answers/history.tsv");
  }

  private static List<String> totals() {
    return history().stream().filter(line -> line.matches("total(\t\\S+){4}")).toList();
  }

  /** A later read that has found this; it begins with a tab, or is empty. */
  private static String laterRead(Duration later, String found) {
    String last = totals().get(totals().size() - 1).split("\t", -1)[1];
    return "total\t" + Instant.parse(last).plus(later) + found;
  }

  private static String version(String total) {
    return total.replaceFirst("total\t\\S+", "");
  }

  @Test
  void historyOfTheRun_isRight() {
    assertThat(judged(lines -> lines).code()).isZero();
  }

  @Test
  void totalThatIsWrong_isFound() {
    String[] last = totals().get(totals().size() - 1).split("\t", -1);
    long right = Long.parseLong(last[2]);

    for (long wrong : List.of(0L, right + 1)) {
      String read = "\t%d\t%s\t%s".formatted(wrong, last[3], last[4]);
      Shell.Result result =
          judged(
              lines -> {
                lines.add(laterRead(Duration.ofSeconds(5), read));
                return lines;
              });
      assertThat(result.text()).contains("wrong, expected %d: total".formatted(right));
      assertThat(result.code()).isEqualTo(1);
    }
  }

  @Test
  void totalThatGoesBackOrAway_isFound() {
    for (String found : List.of(version(totals().get(0)), "")) {
      Shell.Result result =
          judged(
              lines -> {
                lines.add(laterRead(Duration.ofMillis(1), found));
                return lines;
              });
      assertThat(result.text()).contains("goes back: total");
      assertThat(result.code()).isEqualTo(1);
    }
  }

  /** From the first total on, no other is read. */
  @Test
  void totalThatIsLate_isFound() {
    String first = version(totals().get(0));
    Shell.Result result =
        judged(
            lines -> {
              lines.replaceAll(line -> line.replaceFirst("^(total\t\\S+)\t.*", "$1" + first));
              lines.add(laterRead(Duration.ofSeconds(200), first));
              return lines;
            });

    assertThat(result.text()).contains("late, lacks the increment of 2");
    assertThat(result.code()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "increment\t2026-11-27T10:00:00Z, 'expected increment, total, warm, late or slack'",
    "increment\ttoday\t1, expected a time such as",
    "increment\t2026-11-27T10:00:00Z\t1.5, expected a whole number",
    "late\tsoon, expected seconds",
  })
  void fileThatIsNoHistory_isRefused(String line, String message) {
    Shell.Result result =
        judged(
            lines -> {
              lines.add(0, line);
              return lines;
            });

    assertThat(result.text()).contains("line 1: " + message).contains(line);
    assertThat(result.code()).isEqualTo(2);
  }
}
