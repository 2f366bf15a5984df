package dev.tallyroll.local.up;

import com.google.common.base.Splitter;
import dev.tallyroll.Home;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** A process of {@code up} with its output, as its script starts it. Used by one thread. */
public record UpProcess(Process process, BufferedReader lines, Path errors) {
  /** A line comes every five seconds, so no awaited line takes longer. */
  private static final Duration LINE_WITHIN = Duration.ofMinutes(5);

  private static final Pattern PRINTED =
      Pattern.compile("(?m)^deploy/local/up (--totals \\S+ --rules \\S+)$");

  /**
   * Starts it in the root of the checkout, with Firestore on a free port.
   *
   * @param errors the file for its standard error
   * @param environment variables beside this process's own
   */
  public static UpProcess start(Path errors, Map<String, String> environment, List<String> options)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Dtallyroll.home=" + System.getProperty("tallyroll.home"),
                "-Dtallyroll.ends-with-input=true",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Up.class.getName()));
    if (options.stream().noneMatch(option -> option.startsWith("--attach"))) {
      command.add("--firestore-port=0"); // the usual one may be a developer's
    }
    command.addAll(options);
    var builder =
        new ProcessBuilder(command).directory(Home.ROOT.toFile()).redirectError(errors.toFile());
    builder.environment().putAll(environment);
    var process = builder.start();
    return new UpProcess(process, process.inputReader(StandardCharsets.UTF_8), errors);
  }

  /** Starts it as a document has it, by its command with totals and rules; without traffic. */
  public static UpProcess startAsPrinted(Path errors, String document) throws IOException {
    var command = PRINTED.matcher(Files.readString(Home.ROOT.resolve(document)));
    if (!command.find()) {
      throw new AssertionError("expected a command in " + document + ", found none");
    }
    List<String> options = new ArrayList<>(List.of(command.group(1).split(" ")));
    options.add("--traffic=none");
    return start(errors, Map.of(), options);
  }

  /** Reads up to the next such line. */
  String line(Predicate<String> wanted) throws IOException {
    long end = System.nanoTime() + LINE_WITHIN.toNanos();
    List<String> passed = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (wanted.test(line)) {
        return line;
      }
      passed.add(line);
      if (System.nanoTime() - end > 0) {
        break;
      }
    }
    throw new AssertionError(
        "expected another line, found:\n" + String.join("\n", passed) + "\n" + complaints());
  }

  /** Reads up to the line with the variables of clients, which it prints when it is ready. */
  public Map<String, String> ready() throws IOException {
    String variables = line(line -> line.startsWith("ready: ")).substring("ready: ".length());
    return Splitter.on(' ').withKeyValueSeparator('=').split(variables);
  }

  /** Does the same; returns the host and the port of Firestore. */
  String firestore() throws IOException {
    return Objects.requireNonNull(ready().get("FIRESTORE_EMULATOR_HOST"));
  }

  /** Reads up to the line with the address of the page. */
  String page() throws IOException {
    return line(line -> line.startsWith("page: ")).substring("page: ".length());
  }

  /** Closes the input, as the script does at the first Ctrl-C. */
  public void closeInput() throws IOException {
    process.getOutputStream().close();
  }

  /** Waits for the end of the process. */
  public int exitCode() throws IOException, InterruptedException {
    while (lines.readLine() != null) {
      // The rest is read, because a full pipe would stop the program.
    }
    process.waitFor(LINE_WITHIN.toSeconds(), TimeUnit.SECONDS);
    return process.exitValue();
  }

  /** Everything that the process has printed to standard error. */
  String complaints() throws IOException {
    return Files.readString(errors);
  }
}
