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

/** The files that the local cloud runs, below the root of the checkout. Immutable. */
record Checkout(Path root) {
  static final String HOME_PROPERTY = "tallyroll.home";

  /** The memory of a deployed function's container. The JVM takes its share of it. */
  private static final String MEMORY = "-XX:MaxRAM=512m";

  /** The beginning of a line about a download. Every other line of the script is an error. */
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
   * A function of the deployed jar, with the deployed JVM options.
   *
   * @param target its class
   */
  Function function(String name, String target, String invokerVersion) {
    String jar =
        target.startsWith("dev.tallyroll.fold.")
            ? "functions/fold/target/function/tallyroll-fold.jar"
            : "functions/target/function/tallyroll.jar";
    return new Function(
        name, invokerJar(invokerVersion), built(jar).toString(), target, jvmOptions());
  }

  private Path invokerJar(String version) {
    return built("deploy/local/target/invokers/java-function-invoker-%s.jar".formatted(version));
  }

  private Path built(String file) {
    var jar = root.resolve(file);
    if (!Files.isRegularFile(jar)) {
      throw new LocalCloudException(
          "expected %s, found no such file; build it with: mvn package".formatted(jar));
    }
    return jar;
  }

  /** The JVM options of the deployed functions, for a container of the deployed size. */
  private String jvmOptions() {
    var file = root.resolve("deploy/gcloud/jvm-options");
    try {
      return Files.readString(file).strip() + " " + MEMORY;
    } catch (IOException e) {
      throw new LocalCloudException("expected the functions' JVM options in " + file, e);
    }
  }

  /**
   * The official emulators of those names, such as this Java can run; downloads those that this
   * machine lacks.
   *
   * @param java the version of the Java that will run them
   * @param environment of the launcher; its variables say where the emulators are
   * @param log takes lines about the progress of a download
   */
  Map<String, Program> emulators(
      int java, Map<String, String> environment, Consumer<String> log, String... names) {
    var script = root.resolve("deploy/local/lib/emulators").toString();
    var command = new ArrayList<>(List.of("bash", script, Integer.toString(java)));
    command.addAll(List.of(names));
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    // The script's jar is the running JDK's. The path may have none.
    var tools = Path.of(System.getProperty("java.home"), "bin").toString();
    builder.environment().merge("PATH", tools, (path, first) -> first + ":" + path);
    try {
      var process = builder.start();
      List<String> complaints = new ArrayList<>();
      Consumer<String> complain = complaints::add;
      // Standard output is short, so it fits into its pipe while standard error is read.
      process
          .errorReader(StandardCharsets.UTF_8)
          .lines()
          .forEach(line -> (line.startsWith(PROGRESS) ? log : complain).accept(line));
      if (process.waitFor() != 0) {
        throw new LocalCloudException(String.join("\n", complaints));
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
}
