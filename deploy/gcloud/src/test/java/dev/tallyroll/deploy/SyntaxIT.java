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

/** Neither gcloud nor shellcheck has an objection to the scripts. */
class SyntaxIT {

  private static final String SHELLCHECK =
      """
      shellcheck --external-sources --source-path=../.. canary deploy destroy rules smoke status lib \
      src/test/resources/read-by-gcloud src/test/resources/read-as-messages \
      src/test/resources/read-formats src/test/resources/stand-in \
      ../local/bench ../local/cold-start ../local/fuzz ../local/lib/command \
      ../local/lib/emulators ../local/long ../local/soak ../local/up ../../.ci/run""";

  private static final List<List<String>> CALLS = calls();

  private final Path folder = Shell.newFolder();

  /** Between them, the runs make every kind of change, and ask every question. */
  private static List<List<String>> calls() {
    Project project = Project.empty();
    project.settings("SUM=documents", "BILLING=instance", "REQUEST_LOGS=errors", "ROLLER_CPU=1");
    project.exits(0, "deploy --monitoring=me@x.org");
    project.settings();
    project.exits(0, "deploy --yes --monitoring=you@x.org");
    project.put("total", "5");
    project.exits(0, "smoke");
    project.settings("REQUEST_LOGS=errors");
    project.exits(0, "deploy");
    project.exits(0, "destroy --yes --indexes");
    project.exits(0, "canary");
    return project.calls();
  }

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
    Stream.of(CALLS, RunbookIT.commands(), RunbookIT.otherCommands())
        .flatMap(List::stream)
        .filter(words -> words.get(0).equals("gcloud"))
        .filter(words -> !words.contains("print-access-token") && !words.contains("auth"))
        .forEach(words -> commands.add(withFiles(words.subList(1, words.size()))));
    assertThat(commands).hasSizeGreaterThan(100);
    // One that is not, to see that it is noticed.
    commands.add(List.of("pubsub", "topics", "list", "--x"));

    assertThat(misunderstood(commands))
        .containsExactly(
            "gcloud pubsub topics list --x: (gcloud.pubsub.topics.list) unrecognized arguments:"
                + " --x");
  }

  /** The files of the commands are gone by now: it reads those that they were made of. */
  private static List<String> withFiles(List<String> words) {
    return words.stream()
        .map(
            word ->
                Stream.of(".", "metrics", "policies")
                    .map(place -> Shell.SCRIPTS.resolve("monitoring").resolve(place))
                    .map(place -> place.resolve(word.replaceFirst(".*/", "")))
                    .filter(
                        file ->
                            word.matches("--(policy|config)-from-file=.*") && Files.exists(file))
                    .map(file -> word.replaceFirst("=.*", "=" + file))
                    .findFirst()
                    .orElse(word))
        .toList();
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

  /** The stand-in answers as gcloud's own code formats an answer of an API's. */
  @Test
  void formatsAndFilters_giveWhatTheScriptsRead() {
    needs("gcloud");
    Path resources = Shell.SCRIPTS.resolve("src/test/resources");
    String known = Shell.read(resources.resolve("formats"));

    assertThat(CALLS)
        .flatMap(call -> call)
        .filteredOn(word -> word.startsWith("--format=") && !word.matches(".*=(none|json)"))
        .hasSizeGreaterThan(50)
        .allMatch(word -> known.contains(word.substring("--format=".length()) + "\t"));
    assertThat(
            Shell.run(
                Map.of(),
                folder,
                List.of(
                    resources.resolve("read-formats").toString(),
                    resources.resolve("formats").toString())))
        .isEqualTo(new Shell.Result(0, ""));
  }

  /** Reads files with gcloud's own classes, which know each field of the APIs. */
  @Test
  void monitoringFiles_areMessagesOfTheApis() throws Exception {
    needs("gcloud");
    String reader = Shell.SCRIPTS.resolve("src/test/resources/read-as-messages").toString();
    String files = Shell.SCRIPTS.resolve("monitoring").toString();
    Path wrong = folder.resolve("wrong");
    Files.createDirectories(wrong.resolve("policies"));
    Files.writeString(wrong.resolve("policies/x.json"), "{\"conditions\": [{\"filters\": 1}]}");

    assertThat(Shell.run(Map.of(), folder, List.of(reader, files)))
        .isEqualTo(new Shell.Result(0, ""));
    assertThat(Shell.run(Map.of(), folder, List.of(reader, wrong.toString())))
        .isEqualTo(new Shell.Result(0, "policies/x.json.conditions.filters\n"));
  }

  /** The script itself, in front of the real gcloud, to which nobody is signed in. */
  @Test
  void realGcloud_isUnderstood() {
    needs("gcloud");
    Map<String, String> nobody = Map.of("CLOUDSDK_CONFIG", folder.resolve("config").toString());
    String status = Shell.SCRIPTS.resolve("status").toString();

    Shell.Result result =
        Shell.run(nobody, folder, List.of(status, "--project=p", "--region=us-central1"));

    assertThat(result.text()).contains("found nobody: gcloud auth login");
    assertThat(result.code()).isEqualTo(2);
  }

  private void needs(String program) {
    List<String> look = List.of("/bin/sh", "-c", "command -v " + program);
    assumeTrue(Shell.run(Map.of(), folder, look).code() == 0, program + " is not installed");
  }
}
