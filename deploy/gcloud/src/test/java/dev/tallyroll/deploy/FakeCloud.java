package dev.tallyroll.deploy;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    List<String> command = new ArrayList<>();
    command.add(Home.SCRIPTS.resolve(script).toString());
    command.addAll(List.of("--project=p", "--region=us-central1", "--artifact=" + artifact));
    command.add("--stage=" + folder.resolve("stage"));
    command.addAll(List.of(options));
    return Shell.run(environment(), command);
  }

  private Map<String, String> environment() {
    Path fakes = Home.SCRIPTS.resolve("src/test/resources/fake");
    return Map.of(
        "PATH",
        fakes + ":" + System.getenv("PATH"),
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
