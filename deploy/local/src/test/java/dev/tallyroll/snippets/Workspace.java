package dev.tallyroll.snippets;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
  private static final int MOST_MINUTES = 5;
  private static final Path DRIVERS = Path.of("src", "test", "resources", "clients");
  private static final Path WORKSPACES = Path.of("target", "clients");

  /** Where Debian keeps the sources of packages for Go. */
  private static final Path GO_PACKAGES = Path.of("/usr/share/gocode");

  private static final Map<String, Path> READY = new ConcurrentHashMap<>();

  private Workspace() {}

  /** With the packages that its lock names. */
  static Path ofNpm(String client) {
    needs("node");
    needs("npm");
    return READY.computeIfAbsent(client, Workspace::install);
  }

  private static Path install(String client) {
    var folder = folder(client);
    copySnippets(client, folder);
    copyDriver("drive.mjs", folder);
    copyDriver("recipes-drive.mjs", folder);
    var install = List.of("npm", "ci", "--ignore-scripts", "--prefer-offline", "--loglevel=error");
    run(folder, Map.of(), install);
    return folder;
  }

  /** With the classes, for the class path of these tests. */
  static Path ofJava() {
    return READY.computeIfAbsent("java", Workspace::compile);
  }

  private static Path compile(String client) {
    var folder = folder(client);
    copySnippets(client, folder);
    copyDriver("Drive.java", folder);
    var command =
        List.of(
            ofJdk("javac"),
            "--release=17",
            "-Xlint:all,-path,-classfile",
            "-Werror",
            "-proc:none",
            "-cp",
            System.getProperty("java.class.path"),
            "ShardedCounter.java",
            "Drive.java");
    run(folder, Map.of(), command);
    return folder;
  }

  /** With the program {@code drive}. */
  static Path ofGo() {
    needs("go");
    assumeTrue(
        Files.isDirectory(GO_PACKAGES.resolve("src/cloud.google.com/go/firestore")),
        "golang-google-cloud-dev is not installed");
    return READY.computeIfAbsent("go", Workspace::build);
  }

  private static Path build(String client) {
    var folder = folder(client);
    copySnippets(client, folder.resolve("src/counter"));
    copyDriver("drive.go", folder.resolve("src/driver"));
    var environment =
        Map.of(
            "GO111MODULE",
            "off",
            "GOPATH",
            folder + ":" + GO_PACKAGES,
            "GOCACHE",
            folder.resolve("cache").toString(),
            "CGO_ENABLED",
            "0");
    run(folder, environment, List.of("go", "vet", "counter"));
    run(folder, environment, List.of("go", "build", "-o", "drive", "driver"));
    return folder;
  }

  private static Path folder(String client) {
    return WORKSPACES.resolve(client).toAbsolutePath();
  }

  private static void copySnippets(String client, Path folder) {
    try (var files = Files.list(CLIENTS.resolve(client))) {
      files.filter(Files::isRegularFile).forEach(file -> copy(file, folder));
    } catch (IOException failure) {
      throw new UncheckedIOException("could not list the client " + client, failure);
    }
  }

  private static void copyDriver(String name, Path folder) {
    copy(DRIVERS.resolve(name), folder);
  }

  private static void copy(Path file, Path folder) {
    try {
      Files.createDirectories(folder);
      Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failure) {
      throw new UncheckedIOException("could not copy " + file, failure);
    }
  }

  /** Aborts the test where there is no such program on the path. */
  private static void needs(String program) {
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

  /** One that fails, or does not end in time, fails the test with its output. */
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
