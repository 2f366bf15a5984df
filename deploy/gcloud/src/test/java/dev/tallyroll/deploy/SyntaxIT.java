package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Neither gcloud nor shellcheck has an objection to the scripts. */
class SyntaxIT {

  private static final String SHELLCHECK =
      """
      shellcheck --external-sources --source-path=../.. canary deploy destroy replay smoke status \
      lib/command src/test/resources/read-by-gcloud src/test/resources/read-as-messages \
      ../local/bench ../local/cold-start ../local/fuzz ../local/lib/command \
      ../local/lib/emulators ../local/long ../local/soak ../local/up ../../.ci/run""";

  /** Between them, they make every kind of change. */
  private static final List<String> LINES =
      List.of(
          "deploy --rules --exclude-request-logs --sum=documents"
              + " --build-service-account=projects/p/serviceAccounts/a@b.c",
          "deploy --yes --sum=aggregate --rollup-topic=ticks --roller-cpu=1",
          "deploy --monitoring=me@x.org",
          "deploy --yes --monitoring=you@x.org --workers=2",
          "status --json",
          "status --bill",
          "replay",
          "deploy --yes --reset=exclude-request-logs");

  private static final List<String> STATUS =
      List.of(Shell.SCRIPTS.resolve("status").toString(), "--project=p", "--region=us-central1");

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
    Set<List<String>> commands = new LinkedHashSet<>();
    FakeProject project = FakeProject.empty();
    project.set("letter", "a", "ackId=a");
    for (String line : LINES) {
      project.exits(0, line);
    }
    project.set("dashboard", "projects/p/dashboard/0", "gridLayout/columns=3");
    project.exits(0, "deploy --yes");
    project.exits(0, "destroy --yes --indexes");
    project.exits(0, "deploy");
    MatrixIT.lanes(project);
    project.exits(0, "deploy --yes");
    commands.addAll(project.commands);
    Stream.of(RunbookIT.commands(), RunbookIT.otherCommands())
        .flatMap(List::stream)
        .filter(words -> words.get(0).equals("gcloud"))
        .forEach(words -> commands.add(words.subList(1, words.size())));
    assertThat(commands).hasSizeGreaterThan(60);
    // Named by a refusal of the canary.
    commands.add(List.of("firestore", "bulk-delete", "--collection-ids=a,b", "--project=p"));
    // One that is not, to see that it is noticed.
    commands.add(List.of("pubsub", "topics", "list", "--x"));

    assertThat(misunderstood(commands))
        .containsExactly(
            "gcloud pubsub topics list --x: (gcloud.pubsub.topics.list) unrecognized arguments:"
                + " --x");
  }

  /**
   * Each command that gcloud does not understand, and what it says of it. One start of it reads all
   * of them. Nobody is signed in: nothing is run.
   */
  private List<String> misunderstood(Collection<List<String>> commands) throws Exception {
    List<String> lines = commands.stream().map(c -> "gcloud\t" + String.join("\t", c)).toList();
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

  /** Reads files with gcloud's own classes, which know each field of the APIs. */
  @Test
  void monitoringFiles_areMessagesOfTheApis() throws Exception {
    needs("gcloud");
    FakeProject project = FakeProject.empty();
    project.exits(0, "deploy --monitoring=me@x.org");
    Path staged = project.folder.resolve("stage/monitoring");
    String reader = Shell.SCRIPTS.resolve("src/test/resources/read-as-messages").toString();
    Path wrong = Files.createDirectory(folder.resolve("wrong"));
    Files.writeString(wrong.resolve("alert-policy-x.json"), "{\"conditions\": [{\"filters\": 1}]}");

    try (var files = Files.list(staged)) {
      assertThat(files).hasSizeGreaterThan(20);
    }
    assertThat(Shell.run(Map.of(), folder, List.of(reader, staged.toString())))
        .isEqualTo(new Shell.Result(0, ""));
    assertThat(Shell.run(Map.of(), folder, List.of(reader, wrong.toString())))
        .isEqualTo(new Shell.Result(0, "alert-policy-x.json.conditions.filters\n"));
  }

  /** The script itself, in front of the real gcloud, to which nobody is signed in. */
  @Test
  void realGcloud_isUnderstood() {
    needs("gcloud");
    Map<String, String> nobody = Map.of("CLOUDSDK_CONFIG", folder.resolve("config").toString());

    Shell.Result result = Shell.run(nobody, folder, STATUS);

    assertThat(result.text()).contains("Nobody is signed in: gcloud auth login");
    assertThat(result.code()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          ERROR; (gcloud.x) PERMISSION_DENIED: no; 1; needs roles/serviceusage.serviceUsageViewer
          ERROR; (gcloud.x) HTTPError 503: project shop-404 not found; 1; this step failed: Reading the project
          WARNING; The following regions were fully or partially unreachable for query: us-central1\\nx; 0; us-central1 could not be reached
          """)
  void whatGcloudLogs_isRead(String level, String message, int code, String words)
      throws Exception {
    String log = "{\"verbosity\": \"" + level + "\", \"message\": \"" + message + "\"}";
    String answer = "[{\"config\": {\"name\": \"cloudfunctions.googleapis.com\"}}]";
    Path fake = folder.resolve("gcloud");
    String script = "#!/bin/sh\nprintf '%%s\\n' '%s' >&2\necho '%s'\nexit %d\n";
    Files.writeString(fake, script.formatted(log, answer, code));
    assertThat(fake.toFile().setExecutable(true)).isTrue();
    Map<String, String> path = Map.of("PATH", folder + ":" + System.getenv("PATH"));

    Shell.Result result = Shell.run(path, folder, STATUS);

    assertThat(result.text()).contains(words);
    assertThat(result.code()).isEqualTo(1);
  }

  private void needs(String program) {
    List<String> look = List.of("/bin/sh", "-c", "command -v " + program);
    assumeTrue(Shell.run(Map.of(), folder, look).code() == 0, program + " is not installed");
  }
}
