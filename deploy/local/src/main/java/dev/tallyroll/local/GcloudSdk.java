package dev.tallyroll.local;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Finds the SDK of an installed gcloud: it lies around the program, or else gcloud is asked.
 * Without gcloud, or when it does not answer, there is none. Stateless.
 */
final class GcloudSdk {
  /** A large Python program, which takes its time on a busy machine. */
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(60);

  /** Where the SDK keeps what it has installed. */
  private static final String COMPONENTS = "platform";

  private GcloudSdk() {}

  static Optional<Path> root(Map<String, String> environment) {
    return command(environment)
        .flatMap(gcloud -> around(gcloud).or(() -> ask(gcloud, environment)));
  }

  /** Seconds faster than asking; empty where a package puts a program of its own in front. */
  private static Optional<Path> around(Path gcloud) {
    try {
      var folder = gcloud.toRealPath().getParent();
      return Optional.ofNullable(folder)
          .map(Path::getParent)
          .filter(root -> Files.isDirectory(root.resolve(COMPONENTS)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<Path> command(Map<String, String> environment) {
    return Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "gcloud"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Optional<Path> ask(Path gcloud, Map<String, String> environment) {
    var command = List.of(gcloud.toString(), "info", "--format=value(installation.sdk_root)");
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      return answer(builder.start());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<Path> answer(Process process) throws IOException {
    try {
      // One line fits into the pipe, so waiting before reading cannot block the child.
      if (!process.waitFor(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
          || process.exitValue() != 0) {
        return Optional.empty();
      }
      var line =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return Optional.of(line).filter(root -> !root.isEmpty()).map(Path::of);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      process.destroyForcibly();
    }
  }
}
