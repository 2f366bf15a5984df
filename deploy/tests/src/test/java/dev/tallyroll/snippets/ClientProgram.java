package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Waiting;
import dev.tallyroll.it.TestCloud;
import dev.tallyroll.local.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A client in its own process. Each line that it prints is a word and a number, such as {@code
 * total 5}. It ends at the end of its input, so at the latest with this JVM. Thread-safe.
 */
final class ClientProgram implements AutoCloseable {
  private static final Duration LINE_WITHIN = Duration.ofMinutes(5);
  private static final int END_WITHIN_SECONDS = 120;
  private static final Pattern SAYING = Pattern.compile("(\\w+) (\\d+)");

  private final String name;
  private final Process process;
  private final Thread reader;
  private final List<String> lines = new ArrayList<>();
  private final Map<String, Long> latest = new HashMap<>();

  private ClientProgram(String name, Process process) {
    this.name = name;
    this.process = process;
    this.reader = new Thread(this::read, "output-of-" + name);
    reader.setDaemon(true);
  }

  /** Starts the package's entry point for {@code node} or {@code web}. */
  static ClientProgram node(TestCloud cloud, String client, Job job) throws IOException {
    var folder = Workspace.ofNpm();
    return start(cloud, client + " " + job.way(), folder, "node", "drive.mjs", client, job.json());
  }

  /** Starts the recipes for the Web on the cloud with these variables. */
  static ClientProgram recipes(Map<String, String> addresses) throws IOException {
    return start(addresses, "recipes", Workspace.ofNpm(), "node", "recipes-drive.mjs");
  }

  /** Starts the snippet in Go, which creates the counter. */
  static ClientProgram go(TestCloud cloud, String id, int shards, int increments)
      throws IOException {
    var folder = Workspace.ofGo();
    var program = folder.resolve("drive").toString();
    return start(cloud, "go", folder, program, id, "" + shards, "" + increments);
  }

  private static ClientProgram start(TestCloud cloud, String name, Path folder, String... command)
      throws IOException {
    return start(cloud.local().addresses(), name, folder, command);
  }

  private static ClientProgram start(
      Map<String, String> addresses, String name, Path folder, String... command)
      throws IOException {
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().keySet().retainAll(ChildProcess.inherited(System.getenv()).keySet());
    builder.environment().putAll(addresses);
    var program = new ClientProgram(name, builder.start());
    program.reader.start();
    return program;
  }

  private void read() {
    try (var output = process.inputReader(StandardCharsets.UTF_8)) {
      output.lines().forEach(this::keep);
    } catch (IOException | UncheckedIOException failure) {
      keep("(its output broke off: " + failure.getMessage() + ")");
    }
  }

  private synchronized void keep(String line) {
    lines.add(line);
    var said = SAYING.matcher(line);
    if (said.matches()) {
      latest.put(said.group(1), Long.valueOf(said.group(2)));
    }
  }

  /** Waits for a line with this word; returns its number. */
  long await(String word) throws Exception {
    return Waiting.await(name + " to say " + word)
        .atMost(LINE_WITHIN)
        .until(() -> said(word), Optional::isPresent)
        .orElseThrow();
  }

  /** Waits until the program's own listener shows this total. */
  void awaitTotal(long total) throws Exception {
    Waiting.await(name + " to see a total of " + total)
        .until(() -> said("total"), seen -> seen.filter(number -> number == total).isPresent());
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  private synchronized Optional<Long> said(String word) {
    if (!process.isAlive()) {
      throw new AssertionError(
          "expected %s to go on, found that it ended with %d:%n%s"
              .formatted(name, process.exitValue(), String.join("\n", lines)));
    }
    return Optional.ofNullable(latest.get(word));
  }

  /** Tells a program that waits for its input to go on. */
  void goOn() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Ends the program; returns the last total that it saw. */
  long end() throws Exception {
    process.getOutputStream().close();
    assertThat(process.waitFor(END_WITHIN_SECONDS, TimeUnit.SECONDS)).as(name + " ends").isTrue();
    reader.join(TimeUnit.SECONDS.toMillis(END_WITHIN_SECONDS));
    synchronized (this) {
      assertThat(process.exitValue()).as("%s: %s", name, lines).isZero();
      return latest.getOrDefault("total", -1L);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
