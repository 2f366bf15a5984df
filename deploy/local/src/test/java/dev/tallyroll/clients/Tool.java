package dev.tallyroll.clients;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Programs that prepare a client; one that fails, or does not end in time, fails the test with its
 * output. Stateless.
 */
final class Tool {
  private static final int MOST_MINUTES = 5;

  private Tool() {}

  /** Aborts the test where there is no such program on the path. */
  static void needs(String program) {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    if (!found) {
      abort(program + " is not installed");
    }
  }

  /** Of the JDK that runs the tests. */
  static String ofJdk(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  static void run(Path folder, Map<String, String> environment, List<String> command) {
    try {
      var output = folder.resolve("output.txt");
      var builder = new ProcessBuilder(command).directory(folder.toFile());
      builder.redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      if (!succeeds(builder.start())) {
        throw new IllegalStateException(
            "expected %s to succeed within %d minutes, found:%n%s"
                .formatted(command, MOST_MINUTES, Files.readString(output)));
      }
    } catch (IOException failure) {
      throw new UncheckedIOException("could not run " + command, failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command + " ran", interrupted);
    }
  }

  private static boolean succeeds(Process process) throws IOException, InterruptedException {
    process.getOutputStream().close();
    try {
      return process.waitFor(MOST_MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0;
    } finally {
      process.destroyForcibly();
    }
  }
}
