package dev.tallyroll.clients;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A folder below target that holds a snippet, the program that drives it, and what they need. It is
 * made once, so that no test leaves anything in the sources. Thread-safe.
 */
final class Workspace {
  static final Path CLIENTS =
      Path.of(Objects.requireNonNull(System.getProperty("tallyroll.home")), "deploy", "clients");
  private static final Path DRIVERS = Path.of("src", "test", "resources", "clients");
  private static final Path WORKSPACES = Path.of("target", "clients");
  private static final int MOST_MINUTES = 5;

  private static final Map<String, Path> READY = new ConcurrentHashMap<>();

  private Workspace() {}

  /** With the packages that its lock names. */
  static Path ofNpm(String client) {
    needs("node");
    needs("npm");
    return READY.computeIfAbsent(client, Workspace::install);
  }

  private static Path install(String client) {
    var folder = copied(client, "drive.mjs");
    run(folder, List.of("npm", "ci", "--ignore-scripts", "--prefer-offline", "--loglevel=error"));
    return folder;
  }

  /** With the classes, for the class path of these tests. */
  static Path ofJava() {
    return READY.computeIfAbsent("java", Workspace::compile);
  }

  private static Path compile(String client) {
    var folder = copied(client, "Drive.java");
    var classPath = List.of("-cp", System.getProperty("java.class.path"));
    var files = List.of("ShardedCounter.java", "Drive.java");
    var javac = List.of(javaTool("javac"), "--release=17", "-Xlint:all", "-Werror", "-proc:none");
    run(folder, Stream.of(javac, classPath, files).flatMap(List::stream).toList());
    return folder;
  }

  static String javaTool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  private static void needs(String program) {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    if (!found) {
      abort(program + " is not installed");
    }
  }

  private static Path copied(String client, String driver) {
    try {
      var folder = Files.createDirectories(WORKSPACES.resolve(client)).toAbsolutePath();
      try (var files = Files.list(CLIENTS.resolve(client))) {
        for (var file : files.filter(Files::isRegularFile).toList()) {
          copy(file, folder);
        }
      }
      copy(DRIVERS.resolve(driver), folder);
      return folder;
    } catch (IOException failure) {
      throw new UncheckedIOException("could not copy the client " + client, failure);
    }
  }

  private static void copy(Path file, Path folder) throws IOException {
    Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
  }

  private static void run(Path folder, List<String> command) {
    try {
      var output = folder.resolve("output.txt");
      var process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      process.getOutputStream().close();
      boolean ended = process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
      if (!ended || process.exitValue() != 0) {
        process.destroyForcibly();
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
}
