package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real gcloud reads every command that the scripts print, in one start of it. Nobody is signed
 * in: nothing is run.
 */
class GcloudSyntaxIT {

  @TempDir Path folder;

  @BeforeEach
  void needsGcloud() {
    assumeTrue(Shell.has("gcloud"), "gcloud is not installed");
  }

  @Test
  void everyCommand_isUnderstood() throws Exception {
    List<Plan.Command> commands = new ArrayList<>();
    Path stage = folder.resolve("stage");
    commands.addAll(Plan.of(stage, "deploy", "--build-service-account=a@b.c").commands());
    commands.addAll(Plan.of(stage, "deploy", "--anywhere", "--sum=documents").commands());
    commands.addAll(Plan.of(stage, "destroy", "--indexes").commands());
    commands.addAll(Plan.of(stage, "status").commands());
    commands.removeIf(command -> !command.starts("gcloud "));

    assertThat(commands).hasSizeGreaterThan(100);
    assertThat(misunderstood(commands)).isEmpty();
  }

  @Test
  void badCommand_isNoticed() throws Exception {
    List<String> topic = List.of("gcloud", "pubsub", "topics", "create", "t");
    List<String> unknown = new ArrayList<>(topic);
    unknown.add("--x");

    assertThat(misunderstood(List.of(new Plan.Command(unknown), new Plan.Command(topic))))
        .containsExactly(
            "gcloud pubsub topics create t --x: (gcloud.pubsub.topics.create) unrecognized"
                + " arguments: --x");
  }

  /** Each command that gcloud does not understand, and what it says of it. */
  private List<String> misunderstood(List<Plan.Command> commands) throws Exception {
    List<String> lines = commands.stream().map(c -> String.join("\t", c.words())).toList();
    Path file = Files.write(folder.resolve("commands"), lines);
    Map<String, String> nobody = Map.of("CLOUDSDK_CONFIG", folder.resolve("config").toString());
    String reader = Home.SCRIPTS.resolve("src/test/resources/read-by-gcloud").toString();

    Shell.Result result = Shell.run(nobody, List.of(reader, file.toString()));

    assertThat(result.code()).as(result.text()).isZero();
    List<String> answers = result.text().lines().toList();
    assertThat(answers).hasSameSizeAs(commands);
    return answers.stream()
        .filter(answer -> !answer.endsWith("You do not currently have an active account selected."))
        .toList();
  }
}
