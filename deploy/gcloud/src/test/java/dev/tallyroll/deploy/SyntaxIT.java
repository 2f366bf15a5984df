package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What gcloud and shellcheck, where they are installed, say of the scripts: nothing. */
class SyntaxIT {

  private static final String SHELLCHECK =
      """
      shellcheck --external-sources --source-path=../.. deploy destroy smoke status \
      src/test/resources/fake/curl src/test/resources/fake/gcloud src/test/resources/read-by-gcloud \
      ../local/bench ../local/cold-start ../local/fuzz ../local/lib/command \
      ../local/lib/emulators ../local/long ../local/soak ../local/up ../../.ci/run""";

  private final Path folder = Shell.newFolder();

  @Test
  void scripts_passShellcheck() {
    needs("shellcheck");

    Shell.Result result = Shell.run(Map.of(), Shell.SCRIPTS, List.of(SHELLCHECK.split(" ", -1)));

    assertThat(result).isEqualTo(new Shell.Result(0, ""));
  }

  @Test
  void everyCommand_isUnderstood() throws Exception {
    needs("gcloud");
    List<Plan.Command> commands =
        Stream.of(
                "deploy --build-service-account=a@b.c",
                "deploy --anywhere --sum=documents",
                "destroy --indexes",
                "status")
            .flatMap(line -> Plan.of(line).starting("gcloud ").stream())
            .collect(Collectors.toCollection(ArrayList::new));
    assertThat(commands).hasSizeGreaterThan(100);
    // One that is not, to see that it is noticed.
    commands.add(new Plan.Command(List.of("gcloud", "pubsub", "topics", "list", "--x")));

    assertThat(misunderstood(commands))
        .containsExactly(
            "gcloud pubsub topics list --x: (gcloud.pubsub.topics.list) unrecognized arguments:"
                + " --x");
  }

  /**
   * Each command that gcloud does not understand, and what it says of it. One start of it reads all
   * of them. Nobody is signed in: nothing is run.
   */
  private List<String> misunderstood(List<Plan.Command> commands) throws Exception {
    List<String> lines = commands.stream().map(c -> String.join("\t", c.words())).toList();
    Path file = Files.write(folder.resolve("commands"), lines);
    Map<String, String> nobody = Map.of("CLOUDSDK_CONFIG", folder.resolve("config").toString());
    String reader = Shell.SCRIPTS.resolve("src/test/resources/read-by-gcloud").toString();

    Shell.Result result = Shell.run(nobody, folder, List.of(reader, file.toString()));

    assertThat(result.code()).as(result.text()).isZero();
    List<String> answers = result.text().lines().toList();
    assertThat(answers).hasSameSizeAs(commands);
    return answers.stream()
        .filter(answer -> !answer.endsWith("You do not currently have an active account selected."))
        .toList();
  }

  private void needs(String program) {
    List<String> look = List.of("/bin/sh", "-c", "command -v " + program);
    assumeTrue(Shell.run(Map.of(), folder, look).code() == 0, program + " is not installed");
  }
}
