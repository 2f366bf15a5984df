package dev.tallyroll;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.delayedExecutor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The checkout that is tested, and programs that are run for it. Stateless. */
public final class Home {
  public static final Path ROOT =
      Path.of(Objects.requireNonNull(System.getProperty("tallyroll.home")));
  private static final int MOST_MINUTES = 15;

  private Home() {}

  /** The files that git tracks. Skips the test in a copy of the sources without git. */
  public static List<Path> trackedFiles() {
    assumeTrue(Files.exists(ROOT.resolve(".git")), "not a checkout of git: " + ROOT);
    needs("git");
    return Pattern.compile("\0")
        .splitAsStream(run(ROOT, Map.of(), "git", "ls-files", "-z"))
        .map(ROOT::resolve)
        .filter(Files::isRegularFile)
        .toList();
  }

  /** The jars of the libraries, each unshaded: those of the deployed jar and of the local stack. */
  public static List<Path> libraries() throws IOException {
    return list(ROOT.resolve("deploy/local/target/libs"));
  }

  public static List<Path> list(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  /** The bytes of a jar's entries with such names, each byte as a character. */
  public static Map<String, String> contents(Path jar, String names) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (var open = new JarFile(jar.toFile())) {
      for (var entry : Collections.list(open.entries())) {
        if (entry.getName().matches(names)) {
          var bytes = open.getInputStream(entry).readAllBytes();
          contents.put(entry.getName(), new String(bytes, ISO_8859_1));
        }
      }
    }
    return contents;
  }

  /** Skips the test if there is no such program on the path. */
  public static void needs(String program) {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    assumeTrue(found, program + " is not installed");
  }

  /** A program of the JDK that runs the tests. */
  public static String jdk(String program) {
    return Path.of(System.getProperty("java.home"), "bin", program).toString();
  }

  /**
   * Runs a command; returns its output and errors. Fails the test if the command fails or does not
   * end in time.
   */
  public static String run(Path folder, Map<String, String> environment, String... command) {
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      var process = builder.start();
      process.getOutputStream().close();
      delayedExecutor(MOST_MINUTES, TimeUnit.MINUTES).execute(process::destroyForcibly);
      var said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.onExit().join().exitValue())
          .as("%s:%n%s", builder.command(), said)
          .isZero();
      return said;
    } catch (IOException failure) {
      throw new UncheckedIOException("could not run " + builder.command(), failure);
    }
  }
}
