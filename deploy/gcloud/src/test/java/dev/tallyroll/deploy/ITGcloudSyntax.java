package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real gcloud reads every command that the scripts print. Nobody is signed in: nothing is run.
 */
class ITGcloudSyntax {

  /** gcloud's exit code for a command line that it does not understand; a missing sign-in is 1. */
  private static final int MISUNDERSTOOD = 2;

  private static final int AT_ONCE = 2;

  private static final Pattern NAME =
      Pattern.compile(
          "tallyroll-(delivery|on-shard-written|roll-up|run|sweep)|live_lane|live_until|as_of"
              + "|expire_at|rollups|increments|kind=\\w+|Runs \\w+|for a \\w+|-body=\\w+");

  @TempDir Path folder;

  @BeforeEach
  void needsGcloud() {
    assumeTrue(Shell.has("gcloud"), "gcloud is not installed");
  }

  @Test
  void everyCommand_isUnderstood() throws Exception {
    Set<Plan.Command> commands = new LinkedHashSet<>();
    String stage = "--stage=" + folder.resolve("stage");
    commands.addAll(Plan.of("deploy", stage, "--build-service-account=a@b.c").commands());
    commands.addAll(Plan.of("destroy", stage, "--indexes").commands());
    commands.addAll(Plan.of("status", stage).commands());
    commands.removeIf(command -> !command.starts("gcloud "));

    List<String> misunderstood = misunderstood(oneOfAKind(commands));

    assertThat(commands).hasSizeGreaterThan(50);
    assertThat(misunderstood).isEmpty();
  }

  /** Of commands that differ in nothing but a name of ours, one is enough: each takes a second. */
  private static Set<Plan.Command> oneOfAKind(Set<Plan.Command> commands) {
    Map<String, Plan.Command> kinds = new LinkedHashMap<>();
    commands.forEach(
        command -> kinds.putIfAbsent(NAME.matcher(command.toString()).replaceAll("X"), command));
    return new LinkedHashSet<>(kinds.values());
  }

  @Test
  void badCommand_isNoticed() throws Exception {
    Plan.Command bad =
        new Plan.Command(List.of("gcloud", "pubsub", "topics", "create", "t", "--x"));

    assertThat(misunderstood(Set.of(bad))).hasSize(1);
  }

  private List<String> misunderstood(Set<Plan.Command> commands) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<String>> answers = new ArrayList<>();
      for (Plan.Command command : commands) {
        answers.add(pool.submit(() -> complaint(command)));
      }
      List<String> complaints = new ArrayList<>();
      for (Future<String> answer : answers) {
        complaints.add(answer.get());
      }
      complaints.removeIf(String::isEmpty);
      return complaints;
    } finally {
      pool.shutdownNow();
    }
  }

  /** What gcloud says of a command that it does not understand; nothing of one that it does. */
  private String complaint(Plan.Command command) {
    Map<String, String> nobody =
        Map.of(
            "CLOUDSDK_CONFIG", folder.resolve("config").toString(),
            "CLOUDSDK_CORE_DISABLE_PROMPTS", "1",
            "CLOUDSDK_CORE_CHECK_GCE_METADATA", "false");
    Shell.Result result = Shell.run(nobody, command.words());
    boolean understood = result.code() == 1 && result.text().contains("active account");
    assertThat(result.code()).as(command + "\n" + result.text()).isIn(1, MISUNDERSTOOD);
    return understood ? "" : command + "\n" + result.text();
  }
}
