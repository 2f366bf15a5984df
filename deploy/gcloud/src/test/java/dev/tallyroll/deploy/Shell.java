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
    try {
      Path output = Files.createTempFile("tallyroll", ".out");
      try {
        return run(environment, command, output);
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

  private static Result run(Map<String, String> environment, List<String> command, Path output)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IllegalStateException(
          "expected an end within %d s of %s, found:%n%s"
              .formatted(MOST_SECONDS, command, Files.readString(output)));
    }
    return new Result(process.exitValue(), Files.readString(output));
  }

  /** Is there such a program on the path? */
  static boolean has(String program) {
    return run(Map.of(), List.of("/bin/sh", "-c", "command -v " + program)).code() == 0;
  }
}
