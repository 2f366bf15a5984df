package dev.tallyroll.local.up;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** {@code up} in a JVM of its own, as its script starts it. Used by one thread. */
final class UpProcess implements AutoCloseable {
  /** A table comes every five seconds, so a line to wait for does come in time or never. */
  private static final Duration LINE_WITHIN = Duration.ofMinutes(3);

  private final Process process;
  private final BufferedReader lines;
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final Thread complaining;

  UpProcess(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.add("-Dtallyroll.home=" + System.getProperty("tallyroll.home"));
    command.add("-Dtallyroll.ends-with-input=true");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Up.class.getName());
    command.addAll(List.of(options));
    process = new ProcessBuilder(command).start();
    lines = process.inputReader(StandardCharsets.UTF_8);
    complaining =
        new Thread(
            () -> process.errorReader(StandardCharsets.UTF_8).lines().forEach(complaints::add));
    complaining.setDaemon(true);
    complaining.start();
  }

  /** Reads on to the first such line. */
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
        "expected another line, found:\n" + String.join("\n", passed) + "\n" + complaints);
  }

  /** Reads on to the first such object. */
  JsonObject next(Predicate<JsonObject> wanted) throws IOException {
    return parse(line(line -> wanted.test(parse(line))));
  }

  private static JsonObject parse(String line) {
    return JsonParser.parseString(line).getAsJsonObject();
  }

  /** As the script does at the first Ctrl-C. */
  void closeInput() throws IOException {
    process.getOutputStream().close();
  }

  void terminate() {
    process.toHandle().destroy();
  }

  /** Waits for its end, reading the rest of what it prints. */
  int exitCode() throws IOException, InterruptedException {
    while (lines.readLine() != null) {
      // Else it could not print on.
    }
    process.waitFor(LINE_WITHIN.toSeconds(), TimeUnit.SECONDS);
    complaining.join(LINE_WITHIN.toMillis());
    return process.exitValue();
  }

  /** What it has printed to standard error. */
  List<String> complaints() {
    return complaints;
  }

  @Override
  public void close() {
    process.destroy();
  }
}
