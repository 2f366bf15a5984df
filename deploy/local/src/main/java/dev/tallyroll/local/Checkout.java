package dev.tallyroll.local;

import dev.tallyroll.local.ChildProcess.Program;
import dev.tallyroll.local.FunctionServer.Function;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What the local cloud runs, below the root of the checkout. Immutable. */
record Checkout(Path root) {
  static final String HOME_PROPERTY = "tallyroll.home";

  private static final Path EMULATORS = Path.of("deploy", "local", "lib", "emulators");
  private static final Path JVM_OPTIONS = Path.of("deploy", "gcloud", "jvm-options");

  /** A function's container, as it is deployed: the JVM takes its share of this. */
  private static final String MEMORY = "-XX:MaxRAM=512m";

  /** What the script says while it downloads; the rest is what went wrong. */
  private static final String PROGRESS = "downloading ";

  /** The checkout that the system property names. */
  static Checkout fromSystemProperty() {
    var home = System.getProperty(HOME_PROPERTY);
    if (home == null || home.isBlank()) {
      throw new LocalCloudException(
          "expected the system property %s to name the root of the checkout, found none"
              .formatted(HOME_PROPERTY));
    }
    return new Checkout(Path.of(home));
  }

  /**
   * A function of the jar that is deployed, with the JVM's options that it is deployed with.
   *
   * @param target its class
   */
  Function function(String name, String target, String invokerVersion) {
    return new Function(
        name, invokerJar(invokerVersion), functionJar().toString(), target, functionJvmOptions());
  }

  /** The one jar that is deployed; its manifest names the others. */
  Path functionJar() {
    var folder = root.resolve(Path.of("functions", "target", "function"));
    var jars = jarsIn(folder);
    if (jars.size() != 1) {
      throw new LocalCloudException(
          "expected one function jar in %s, found %s; build it with: mvn package"
              .formatted(folder, jars));
    }
    return jars.get(0);
  }

  private static List<Path> jarsIn(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new LocalCloudException("could not list " + folder, e);
    }
  }

  Path invokerJar(String version) {
    var jar =
        root.resolve(Path.of("deploy", "local", "target", "invokers"))
            .resolve("java-function-invoker-" + version + ".jar");
    if (!Files.isRegularFile(jar)) {
      throw new LocalCloudException(
          "expected the invoker at %s, found no such file; build it with: mvn package"
              .formatted(jar));
    }
    return jar;
  }

  /** The JVM options that functions are deployed with, in a container of the deployed size. */
  String functionJvmOptions() {
    var file = root.resolve(JVM_OPTIONS);
    try {
      return Files.readString(file).strip() + " " + MEMORY;
    } catch (IOException e) {
      throw new LocalCloudException("expected the functions' JVM options in " + file, e);
    }
  }

  /**
   * The official emulators of those names; downloads what this machine lacks.
   *
   * @param environment of the launcher, which says where to look
   * @param log where the progress of a download goes
   */
  Map<String, Program> emulators(
      Map<String, String> environment, Consumer<String> log, String... names) {
    var command = new ArrayList<>(List.of("bash", root.resolve(EMULATORS).toString()));
    command.addAll(List.of(names));
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      var process = builder.start();
      // Few lines fit into the pipe of the other output meanwhile.
      var complaint =
          process
              .errorReader(StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !isProgress(line, log))
              .collect(Collectors.joining("\n"));
      if (process.waitFor() != 0) {
        throw new LocalCloudException(complaint);
      }
      return process
          .inputReader(StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split("\t", -1))
          .collect(
              Collectors.toMap(
                  columns -> columns[0], columns -> new Program(columns[1], columns[2])));
    } catch (IOException | UncheckedIOException e) {
      throw new LocalCloudException("could not look for emulators with " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted while looking for emulators", e);
    }
  }

  private static boolean isProgress(String line, Consumer<String> log) {
    boolean progress = line.startsWith(PROGRESS);
    if (progress) {
      log.accept(line);
    }
    return progress;
  }
}
