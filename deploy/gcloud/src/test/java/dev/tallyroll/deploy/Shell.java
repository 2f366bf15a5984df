package dev.tallyroll.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program to its end, with nothing to read. What it says goes to a file, so that a full pipe
 * never blocks it. A program that does not end in time is killed. Stateless.
 */
final class Shell {

  static final int MOST_SECONDS = 120;

  /** What a program said, errors included, and how it ended. */
  record Result(int code, String text) {}

  private Shell() {}

  static Result run(Map<String, String> environment, List<String> command) {
    return run(environment, Path.of("."), command);
  }

  static Result run(Map<String, String> environment, Path folder, List<String> command) {
    try {
      Path output = Files.createTempFile("tallyroll", ".out");
      try {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectInput(Path.of("/dev/null").toFile()).directory(folder.toFile());
        builder.redirectOutput(output.toFile()).environment().putAll(environment);
        return new Result(codeOf(builder, output), Files.readString(output));
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command + " ran", e);
    }
  }

  private static int codeOf(ProcessBuilder builder, Path output)
      throws IOException, InterruptedException {
    Process process = builder.start();
    if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IllegalStateException(
          "expected an end within %d s of %s, found:%n%s"
              .formatted(MOST_SECONDS, builder.command(), Files.readString(output)));
    }
    return process.exitValue();
  }

  /** Is there such a program on the path? */
  static boolean has(String program) {
    return run(Map.of(), List.of("/bin/sh", "-c", "command -v " + program)).code() == 0;
  }
}
