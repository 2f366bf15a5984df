package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The canary answers, and leaves nothing behind after any failure. All tests share one staging
 * folder.
 */
@Execution(ExecutionMode.SAME_THREAD)
class CanaryIT {
  private static final Pattern NOT_VERIFIED = Pattern.compile("(?i)\\*not\\s+verified\\b");

  private static final String OWN =
      "--counters={parent=**}/tallyroll_canary_counters --runs-collection=tallyroll_canary_runs";

  private static final int MOST_SECONDS = 60;

  private final FakeProject project = FakeProject.empty();
  private String before = "";

  @BeforeEach
  void metricsAndRules() {
    before = project.snapshot();
    counts("on-shard-written.*response_code_class", "response_code_class=5xx", 7);
    counts("groupByFields=metric.labels.response_code_class", "response_code_class=2xx", 900);
    counts("push_request_count", "response_class=remote_server_5xx", 7);
    counts("read_ops_count", "none=", 4000);
    counts("write_ops_count", "none=", 6000);
    counts("allocation_time|request_count", "none=", 100);
    answer(
        "startup_latencies",
        "{'timeSeries':[{'points':[{'value':{'distributionValue':{'count':'3','mean':2500}}}]}]}");
    answer("firebaserules.*:test", "{'testResults':[{'state':'SUCCESS'},{'state':'SUCCESS'}]}");
  }

  private void counts(String metric, String label, int value) {
    String labels = "'metric':{'labels':{'" + label.replace("=", "':'") + "'}},";
    project.answer(metric, () -> FakeProject.series(labels, "int64Value", value));
  }

  private void answer(String call, String json) {
    project.answer(call, () -> JsonParser.parseString(json));
  }

  private String exits(int code, String options) {
    return project.exits(code, "canary " + options);
  }

  /** This fake keeps things that Eventarc and Cloud Run would remove themselves. */
  private void assertAllRemoved() {
    List.of("subscription", "trigger").forEach(kind -> project.all(kind).clear());
    project
        .policies
        .keySet()
        .removeIf(key -> key.matches("(tally-canary|topic|.*/eventarc-tally-canary).*"));
    assertThat(project.snapshot()).isEqualTo(before);
  }

  private static String answer(String said, Question question) {
    String section = said.substring(said.indexOf("### " + question.title));
    return section.lines().filter(line -> line.startsWith("- **Answer")).findFirst().orElseThrow();
  }

  @Test
  void canary_answersAndLeavesNothing() {
    String said = exits(0, "");

    String report = said.substring(said.indexOf("## A canary"));
    assertThat(report).contains("All of it is removed.").doesNotContain("projects/p");
    assertThat(answer(report, Question.ANYWHERE)).contains("yes", "tallyroll_canary_rooms/r1/");
    assertThat(answer(report, Question.IAM_CONDITION)).contains("yes", "databases/(default)");
    assertThat(answer(report, Question.TRIGGER_PLACE))
        .contains("in us-central1, the trigger in us-central1", "nam5 and eur3 not determined");
    assertThat(answer(report, Question.ACK_DEADLINES))
        .contains("yes: 120 s for events, 600 s for messages");
    assertThat(answer(report, Question.RETRIES))
        .contains("OnShardWritten {5xx=7}", "{remote_server_5xx=7}", "RollUp {2xx=900}");
    assertThat(answer(report, Question.STRING_OF_PATH)).contains("yes");
    assertThat(answer(report, Question.COLD_START)).contains("2500 ms on average, of 3");
    assertThat(answer(report, Question.LAG_1)).contains("p50 750 ms", "15 increments in 15");
    assertThat(answer(report, Question.LAG_20)).contains("300 increments in 60 commits");
    assertThat(answer(report, Question.LAG_100)).contains("1500 increments in 60 commits");
    assertThat(answer(report, Question.OPERATIONS)).contains("over 1815 increments");
    assertThat(answer(report, Question.DOLLARS)).contains("a million");
    assertThat(answer(report, Question.TWO_WRITES)).contains("yes", "two of one shard");
    assertThat(answer(report, Question.ENTERPRISE)).contains("not determined");
    assertAllRemoved();
  }

  /** Each change fails once; of the many increments, one in twenty. */
  @Test
  void failure_endsInTheRemoval() {
    exits(0, "");
    List<String> all = List.copyOf(project.changes);
    List<Integer> changes = new ArrayList<>();
    for (int change = 0; change < all.size(); change++) {
      boolean increment = all.get(change).contains("rate-");
      if (!increment || change % 20 == 0) {
        changes.add(change);
      }
    }
    assertThat(changes).hasSizeGreaterThan(60);
    for (int change : changes) {
      project.failing = change;
      project.changes.clear();
      int code = project.run("canary", "");

      assertThat(code).as("%s: %s", all.get(change), project.said()).isIn(0, 1);
      assertThat(project.said()).as(all.get(change)).contains("All of it is removed.");
      assertAllRemoved();
    }
  }

  @Test
  void looksThatAreDenied_leaveTheirQuestionsOpen() {
    FakeProject denied = FakeProject.empty();
    denied.fail("https://monitoring", "PERMISSION_DENIED", "403 no metrics");
    denied.fail("firebaserules.*:test", "PERMISSION_DENIED", "403 no rules");

    String said = denied.exits(0, "canary");

    assertThat(answer(said, Question.COLD_START)).endsWith("not determined: 403 no metrics");
    assertThat(answer(said, Question.STRING_OF_PATH)).endsWith("not determined: 403 no rules");
    assertThat(answer(said, Question.LAG_100)).contains("p50");
  }

  @Test
  void rulesOfOthers_areLeftAlone() {
    project.exits(0, "deploy --rules");
    String rules = project.all("release").toString();

    assertThat(answer(exits(0, ""), Question.TWO_WRITES)).contains("not determined: this database");
    assertThat(project.all("release")).hasToString(rules);
  }

  @Test
  void commitThatTheRulesTake_isTold() {
    project.answer("CLIENT", () -> JsonParser.parseString("{'commitTime':'2026-01-01T00:00:00Z'}"));

    assertThat(answer(exits(0, ""), Question.TWO_WRITES)).contains("no: a client raised");
    assertAllRemoved();
  }

  @Test
  void totalsThatDoNotCome_endIt() {
    project.answer("batchGet.*rollups/rate-20", JsonArray::new);

    assertThat(exits(1, "")).contains("It ended early: ", "All of it is removed.");
    assertThat(answer(project.said(), Question.LAG_1)).contains("p50");
    assertThat(answer(project.said(), Question.LAG_20))
        .contains("not determined: it was not asked");
    assertAllRemoved();
  }

  @Test
  void interrupt_endsInTheRemoval() {
    project.answer(
        "batchGet.*rollups/rate-1\"",
        () -> {
          Thread.currentThread().interrupt();
          return JsonParser.parseString("[{'readTime':'2026-01-01T00:00:00Z'}]");
        });

    assertThat(exits(1, "")).contains("The removal, as it was interrupted", "it was interrupted");
    assertThat(Thread.interrupted()).as("its pauses would be none").isFalse();
    assertThat(project.said()).contains("All of it is removed.");
    assertAllRemoved();
  }

  /** The script itself, with a slow gcloud: it ends when the removal has ended. */
  @Test
  void ctrlC_waitsForTheRemoval() throws Exception {
    assumeTrue(!isInterruptIgnored(), "this build was started with SIGINT ignored, as by nohup &");
    Path calls = project.folder.resolve("calls");
    project.write(
        "gcloud",
        "#!/bin/sh\necho \"$*\" >> '%s'\ncase $* in services\\ enable*) sleep 3 ;; esac\necho '[]'\n"
            .formatted(calls));
    assertThat(project.folder.resolve("gcloud").toFile().setExecutable(true)).isTrue();
    Path said = project.folder.resolve("said");
    ProcessBuilder builder =
        new ProcessBuilder(
                Shell.SCRIPTS.resolve("canary").toString(),
                "--project=p",
                "--region=us-central1",
                "--artifact=" + project.folder.resolve("artifact"))
            .directory(project.folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().put("PATH", project.folder + ":" + System.getenv("PATH"));
    Process process = builder.start();
    try {
      awaitLine(calls, "services enable");
      Shell.run(Map.of(), project.folder, List.of("kill", "-INT", "" + process.pid()));
      assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }

    assertThat(said).content().contains("The removal, as it was interrupted", "It ended early: ");
    assertThat(said).content().contains("All of it is removed.");
    assertThat(process.exitValue()).isEqualTo(128 + 2);
  }

  /** A shell cannot trap a signal that was ignored when it was started. Only Linux tells. */
  private static boolean isInterruptIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .anyMatch(line -> (Long.parseLong(line.substring(7).strip(), 16) & 0b10) != 0);
  }

  private static void awaitLine(Path file, String words) throws Exception {
    for (int tries = 0; tries < 10 * MOST_SECONDS; tries++) {
      if (Files.exists(file) && Files.readString(file).contains(words)) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    throw new AssertionError(file + " has no " + words);
  }

  @Test
  void whatCannotBeRemoved_isNamedWithTheCommand() {
    project.fail("pubsub topics delete", "UNAVAILABLE", "503");

    assertThat(exits(1, ""))
        .contains("NOT REMOVED. Run: deploy/gcloud/destroy --yes --indexes --project=PROJECT")
        .contains("--name=tally-canary");
  }

  @Test
  void whatIsThere_isRefused() {
    FakeProject taken = FakeProject.deployed("--name=tally-canary " + OWN);
    assertThat(taken.exits(2, "canary"))
        .contains("NAME: expected nothing", "function tally-canary");

    // The command that is named works, and leaves the deployment's document, which is told next.
    String command = taken.said().replaceFirst("(?s).*deploy/gcloud/(destroy [^\n]*).*", "$1");
    taken.exits(0, command.replace("'", ""));
    taken.all("document").clear();
    taken.exits(0, "canary --dry-run");

    project.document("a/b/tallyroll_canary_shards/0");
    assertThat(exits(2, ""))
        .contains("COLLECTIONS: expected no documents", "found a/b/tallyroll_canary_shards/0");
    assertThat(project.changes).isEmpty();

    assertThat(FakeProject.empty().exits(2, "canary --artifact=/none"))
        .contains("ARTIFACT: expected a folder with one jar");
  }

  @Test
  void otherForm_saysThatItWasNotAsked() {
    assertThat(answer(exits(0, "--counters=tallyroll_canary_counters"), Question.ANYWHERE))
        .contains("not determined: the canary was deployed with tallyroll_canary_counters");
    assertAllRemoved();
  }

  @Test
  void dryRun_changesNothing() {
    assertThat(exits(0, "--dry-run"))
        .contains("# asked: ", "gcloud functions deploy tally-canary-");
    assertThat(project.changes).isEmpty();
  }

  /** The canary asks every question that our documents leave open. */
  @Test
  void questions_areThoseOfTheDocuments() throws Exception {
    Set<String> asked = new TreeSet<>();
    for (Question question : Question.values()) {
      asked.add(question.place);
    }
    Set<String> open = new TreeSet<>();
    Set<String> places = new TreeSet<>();
    for (String document : List.of(".github/BENCHMARKS.md", "deploy/README.md")) {
      String heading = "";
      for (String line : Files.readAllLines(Shell.ROOT.resolve(document))) {
        if (line.startsWith("#")) {
          String words = line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT);
          heading = document + "#" + words.replaceAll("[^\\w -]", "").replace(' ', '-');
          places.add(heading);
        } else if (NOT_VERIFIED.matcher(line).find()) {
          open.add(heading);
        }
      }
    }

    // That heading explains the word.
    assertThat(open.remove("deploy/README.md#deploying-to-google-cloud")).isTrue();
    assertThat(open).hasSizeGreaterThan(3);
    assertThat(asked).containsAll(open);
    assertThat(places).containsAll(asked);
  }
}
