package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

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

  private final Path folder = Shell.newFolder();

  private FakeCloud() {}

  /** A new project with a database, and something to deploy. */
  static FakeCloud empty() {
    FakeCloud cloud = new FakeCloud();
    cloud.keep("database", "us-central1|FIRESTORE_NATIVE|STANDARD");
    cloud.keep("artifact/tallyroll.jar", "a jar");
    cloud.keep("artifact/libs/other.jar", "another jar");
    return cloud;
  }

  /** A project that deploy has made, with rules. */
  static FakeCloud deployed() {
    FakeCloud cloud = new FakeCloud();
    List<String> copy = List.of("cp", "-R", Deployed.CLOUD.folder + "/.", ".");
    assertThat(Shell.run(Map.of(), cloud.folder, copy).code()).isZero();
    return cloud;
  }

  /** Made once, and then copied. */
  private static final class Deployed {
    private static final FakeCloud CLOUD = empty();

    static {
      CLOUD.exits(0, "deploy --rules");
      CLOUD.forgetCalls();
    }
  }

  /** Runs a script, which has to end like that; returns what it says. */
  String exits(int code, String line) {
    return exits(code, Shell.command(folder, line));
  }

  /** The same at a terminal, where somebody types. */
  String exitsAtTerminal(int code, String typed, String line) {
    String command = String.join(" ", Shell.command(folder, line));
    String inTerminal = "printf '%s\\n' '" + typed + "' | script -qec '" + command + "' /dev/null";
    return exits(code, List.of("bash", "-c", "set -o pipefail; " + inTerminal));
  }

  private String exits(int code, List<String> command) {
    Map<String, String> environment =
        Map.of(
            "PATH",
            Shell.FAKES_FIRST,
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

  /** Scripts an answer to every call that the pattern fits, before all others. */
  void answer(String pattern, int code, String words) {
    String line = pattern + "|" + code + "|" + words + "\n";
    write("answers", line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** What a query of a collection group finds: paths, each with its mark behind a blank, if any. */
  void holds(String group, String... documents) {
    keep("documents-" + group, String.join("\n", documents));
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /** What the platform keeps under a name: a file's text. */
  String kept(String name) {
    return Shell.read(file(name)).strip();
  }

  void keep(String name, String text) {
    write(name, text + "\n");
  }

  private void write(String name, String text, StandardOpenOption... how) {
    try {
      Files.createDirectories(file(name).getParent());
      Files.writeString(file(name), text, how);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> calls() {
    return Shell.read(file("calls")).lines().toList();
  }

  List<String> changes() {
    return calls().stream().filter(call -> CHANGE.matcher(call).matches()).toList();
  }

  void forgetCalls() {
    write("calls", "");
  }
}
