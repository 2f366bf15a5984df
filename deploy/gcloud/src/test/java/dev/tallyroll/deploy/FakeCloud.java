package dev.tallyroll.deploy;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
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

  private FakeCloud(Path folder) {
    this.folder = folder;
  }

  /** A new project with a database, and something to deploy. */
  static FakeCloud in(Path folder) throws IOException {
    Path artifact = folder.resolve("artifact");
    Files.createDirectories(artifact.resolve("libs"));
    Files.writeString(folder.resolve("database"), "us-central1|FIRESTORE_NATIVE|STANDARD\n");
    Files.writeString(artifact.resolve("tallyroll.jar"), "a jar");
    Files.writeString(artifact.resolve("libs/other.jar"), "another jar");
    return new FakeCloud(folder);
  }

  /** A project that deploy has made, with rules. */
  static FakeCloud deployed(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(Deployed.PROJECT)) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve(Deployed.PROJECT.relativize(file)), REPLACE_EXISTING);
      }
    }
    FakeCloud cloud = new FakeCloud(folder);
    cloud.forgetCalls();
    return cloud;
  }

  /** Made once, and then copied. */
  private static final class Deployed {
    private static final Path PROJECT = make();

    private static Path make() {
      try {
        Path folder = Files.createTempDirectory(Path.of("target"), "deployed").toAbsolutePath();
        in(folder).exits(0, "deploy", "--rules");
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Runs a script, which has to end like that; returns what it says. */
  String exits(int code, String script, String... options) {
    return exits(code, command(script, options));
  }

  /** The same at a terminal, where somebody types. */
  String exitsAtTerminal(int code, String typed, String script, String... options) {
    String line = String.join(" ", command(script, options));
    String inTerminal = "printf '%s\\n' '" + typed + "' | script -qec '" + line + "' /dev/null";
    return exits(code, List.of("bash", "-c", "set -o pipefail; " + inTerminal));
  }

  private String exits(int code, List<String> command) {
    Map<String, String> environment =
        Map.of(
            "PATH",
            Home.FAKES + ":" + System.getenv("PATH"),
            "FAKE",
            folder.toString(),
            "TALLYROLL_PAUSE_SECONDS",
            "0",
            "TALLYROLL_POLL_SECONDS",
            "0");
    Shell.Result result = Shell.run(environment, folder, command);
    assertThat(result.code()).as(result.text()).isEqualTo(code);
    return result.text();
  }

  private List<String> command(String script, String... options) {
    List<String> command = new ArrayList<>(Home.command(script, folder.resolve("stage")));
    if (script.equals("deploy")) {
      command.add("--artifact=" + folder.resolve("artifact"));
    }
    command.addAll(List.of(options));
    return command;
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
    Files.writeString(folder.resolve("artifact/libs/other.jar"), "a newer jar");
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
