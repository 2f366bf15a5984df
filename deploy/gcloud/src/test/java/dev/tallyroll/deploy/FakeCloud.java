package dev.tallyroll.deploy;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A project that lives in a folder, behind a gcloud and a curl that come first on the path. It
 * keeps what the scripts make, so that a second run finds it; a test may script other answers. Not
 * thread-safe.
 */
final class FakeCloud {

  private static final Pattern CHANGE =
      Pattern.compile(
          "gcloud .* (enable|create|update|deploy|delete|publish|(add|remove)-iam-policy-binding) .*"
              + "|curl (POST|PATCH)? *https://firebaserules\\S+ .+");

  private final Path folder;
  private final Path artifact;

  private FakeCloud(Path folder, Path artifact) {
    this.folder = folder;
    this.artifact = artifact;
  }

  /** A new project with a database, and something to deploy. */
  static FakeCloud in(Path folder) throws IOException {
    Path artifact = folder.resolve("artifact");
    Files.createDirectories(artifact.resolve("libs"));
    Files.writeString(folder.resolve("database"), "us-central1|FIRESTORE_NATIVE|STANDARD\n");
    Files.writeString(artifact.resolve("tallyroll.jar"), "a jar");
    Files.writeString(artifact.resolve("libs/other.jar"), "another jar");
    return at(folder);
  }

  /** A project that is there. */
  static FakeCloud at(Path folder) {
    return new FakeCloud(folder, folder.resolve("artifact"));
  }

  /** The same project in another folder, so that a test may spoil it. */
  FakeCloud copyTo(Path target) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(folder.relativize(file)), REPLACE_EXISTING);
      }
    }
    return at(target);
  }

  Shell.Result run(String script, String... options) {
    return Shell.run(environment(), folder, command(script, options));
  }

  /** The same at a terminal, where somebody types. */
  Shell.Result runAtTerminal(String typed, String script, String... options) {
    String line = String.join(" ", command(script, options));
    String inTerminal = "printf '%s\\n' '" + typed + "' | script -qec '" + line + "' /dev/null";
    return Shell.run(
        environment(), folder, List.of("bash", "-c", "set -o pipefail; " + inTerminal));
  }

  private List<String> command(String script, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Home.SCRIPTS.resolve(script).toString());
    command.addAll(List.of("--project=p", "--region=us-central1"));
    command.add("--stage=" + folder.resolve("stage"));
    if (script.equals("deploy")) {
      command.add("--artifact=" + artifact);
    }
    command.addAll(List.of(options));
    return command;
  }

  private Map<String, String> environment() {
    return Map.of(
        "PATH",
        Home.FAKES + ":" + System.getenv("PATH"),
        "FAKE",
        folder.toString(),
        "TALLYROLL_PAUSE_SECONDS",
        "0",
        "TALLYROLL_POLL_SECONDS",
        "0");
  }

  /** Scripts an answer to every call that the pattern fits, before all others. */
  void answer(String pattern, int code, String words) throws IOException {
    Files.writeString(
        folder.resolve("answers"),
        pattern + "|" + code + "|" + words + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** What a query of a collection group finds: paths, each with its mark behind a blank, if any. */
  void holds(String group, String... documents) throws IOException {
    StringJoiner found = new StringJoiner(",\n", "[", "]\n");
    for (String document : documents) {
      String[] words = document.split(" ", 2);
      found.add(
          """
          { "document": {
              "name": "projects/p/databases/(default)/documents/%s",
              "fields": { %s },
              "createTime": "2026-01-01T00:00:00Z" } }"""
              .formatted(
                  words[0],
                  words.length == 1
                      ? ""
                      : "\"counter\": { \"stringValue\": \"" + words[1] + "\" }"));
    }
    keep("query-" + group, found.toString());
  }

  void answerAsItIs() throws IOException {
    Files.delete(folder.resolve("answers"));
  }

  /** What the platform keeps under a name: a file's text. */
  String kept(String name) {
    return Home.read(folder.resolve(name)).strip();
  }

  void keep(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text + "\n");
  }

  List<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  void rebuildArtifact() throws IOException {
    Files.writeString(artifact.resolve("libs/other.jar"), "a newer jar");
  }

  List<String> calls() {
    return Home.read(folder.resolve("calls")).lines().toList();
  }

  List<String> changes() {
    return calls().stream().filter(call -> CHANGE.matcher(call).matches()).toList();
  }

  void forgetCalls() throws IOException {
    Files.writeString(folder.resolve("calls"), "");
  }
}
