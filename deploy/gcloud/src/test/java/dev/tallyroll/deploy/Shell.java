package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.delayedExecutor;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs programs of the checkout that is tested, with nothing to read. Stateless. */
final class Shell {

  static final Path ROOT = Path.of(Objects.requireNonNull(System.getProperty("tallyroll.home")));
  static final Path SCRIPTS = ROOT.resolve("deploy/gcloud");
  static final Path INDEXES = ROOT.resolve("deploy/firestore/firestore.indexes.json");

  private static final int MOST_SECONDS = 300;

  /** The output of a program, errors included, and its exit code. */
  record Result(int code, String text) {}

  private Shell() {}

  static Result run(Map<String, String> environment, Path folder, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.redirectErrorStream(true).environment().putAll(environment);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      // A program that hangs is killed. Its exit code then tells.
      delayedExecutor(MOST_SECONDS, SECONDS).execute(process::destroyForcibly);
      String text = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new Result(process.onExit().join().exitValue(), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A folder below target, where somebody can look at it after a run. */
  static Path newFolder() {
    try {
      return Files.createTempDirectory(Path.of("target"), "run").toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
