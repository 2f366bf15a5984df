package dev.tallyroll.local;

import com.google.common.collect.EvictingQueue;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A child JVM on a {@link Leash}. It ends with {@link #close}, with {@link #kill}, or with the
 * launcher, however the launcher ends. It ignores Ctrl-C, which only the launcher handles. A thread
 * gives each line of its output to a consumer. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
  /** Every JVM reads options from this variable. */
  static final String JVM_OPTIONS = "JAVA_TOOL_OPTIONS";

  static final int LINES_KEPT = 200;
  private static final int LINES_SHOWN = 15;
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration KILL_WAIT = Duration.ofSeconds(60);
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final Duration POLL_EVERY = Duration.ofMillis(50);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
  private static final String PORT_TAKEN = "Address already in use";

  /**
   * A child inherits these variables. Others could make it use other programs or servers. Without
   * those of the locale, a JVM finds no file whose path has a letter outside of ASCII.
   */
  private static final Set<String> INHERITED =
      Set.of("PATH", "HOME", "JAVA_HOME", "LC_ALL", "LC_CTYPE", "LANG");

  /** A terminal sends Ctrl-C to all processes. A JVM that ignores it at its start always does. */
  private static final List<String> IGNORING_INTERRUPTS =
      List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh");

  private final String name;
  private final Process process;
  private final EvictingQueue<String> lastLines = EvictingQueue.create(LINES_KEPT);
  private final Thread pump;

  /** A program: the class path, and the class with its {@code main}. */
  record Program(String classPath, String mainClass) {}

  /** Another program listens on the port. If we chose the port freely, another port will do. */
  static final class PortTakenException extends LocalCloudException {
    private static final long serialVersionUID = 1L;

    PortTakenException(String message) {
      super(message);
    }
  }

  private ChildProcess(String name, Process process, Consumer<String> lines) {
    this.name = name;
    this.process = process;
    this.pump = new Thread(() -> pump(lines), "output-of-" + name);
    pump.setDaemon(true);
  }

  /**
   * Starts a child; does not wait until it works.
   *
   * @param name the program's name in messages
   * @param environment its whole environment: no other variable of the launcher reaches it; a shell
   *     adds its working directory
   */
  static ChildProcess start(
      String name,
      Program program,
      List<String> arguments,
      Map<String, String> environment,
      Consumer<String> lines) {
    var command = new ArrayList<>(IGNORING_INTERRUPTS);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(program.classPath() + File.pathSeparator + homeOf(Leash.class));
    command.add(Leash.class.getName());
    command.add(program.mainClass());
    command.addAll(arguments);
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      var child = new ChildProcess(name, builder.start(), lines);
      child.pump.start();
      return child;
    } catch (IOException e) {
      throw new LocalCloudException("could not start a JVM for " + name + ": " + e.getMessage(), e);
    }
  }

  /** The folder or jar that holds the class. */
  static Path homeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new LocalCloudException(
          "the folder or jar of " + type.getName() + " has no usable path", e);
    }
  }

  /** A new map with the launcher's variables that a child needs. */
  public static Map<String, String> inherited(Map<String, String> launcher) {
    var environment = new TreeMap<>(launcher);
    environment.keySet().retainAll(INHERITED);
    return environment;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The last lines that the child printed, {@link #LINES_KEPT} at most. */
  List<String> lastLines() {
    synchronized (lastLines) {
      return List.copyOf(lastLines);
    }
  }

  /**
   * Waits until the child answers an HTTP request, with any status, as the servers answer a
   * stranger differently. Fails as soon as it is certain that no answer will come.
   *
   * @throws PortTakenException if another program has the child's port
   */
  void awaitAnswer(HttpClient http, URI address) {
    long deadline = System.nanoTime() + READY_WITHIN.toNanos();
    try {
      while (!answers(http, address)) {
        requireAlive(address);
        if (System.nanoTime() - deadline > 0) {
          throw new LocalCloudException(
              "expected %s to answer at %s within %s, found no answer:%n%s"
                  .formatted(name, address, READY_WITHIN, shownLines()));
        }
        Thread.sleep(POLL_EVERY.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted while waiting for " + name + " to start", e);
    }
    requireAlive(address);
  }

  private static boolean answers(HttpClient http, URI address) throws InterruptedException {
    var request = HttpRequest.newBuilder(address).timeout(ANSWER_WITHIN).build();
    try {
      http.send(request, BodyHandlers.discarding());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Fails if the child has ended, or another program has its port, as may be seen only after an
   * answer: that program's.
   *
   * @throws PortTakenException if another program has the child's port
   */
  void requireAlive(URI address) {
    boolean alive = process.isAlive();
    if (!alive) {
      awaitOutput();
    }
    // The Pub/Sub emulator keeps running without its port; then another program answers instead.
    if (lastLines().stream().anyMatch(line -> line.contains(PORT_TAKEN))) {
      throw new PortTakenException("another program took the port of " + name + " at " + address);
    }
    if (!alive) {
      throw new LocalCloudException(
          "%s ended with exit code %d:%n%s".formatted(name, process.exitValue(), shownLines()));
    }
  }

  /** The child's last lines, indented, for the end of a message. */
  private String shownLines() {
    var lines = lastLines();
    return lines.isEmpty()
        ? "  (it printed nothing)"
        : lines.stream()
            .skip(Math.max(0, lines.size() - LINES_SHOWN))
            .map(line -> "  | " + line)
            .collect(Collectors.joining("\n"));
  }

  /** Asks the child to end (SIGTERM); does not wait. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Ends the child at once (SIGKILL), as a crash would. */
  void kill() {
    // Process.destroy would also close the pipe, and the leash would race with the signal.
    process.toHandle().destroyForcibly();
    if (!ended(KILL_WAIT)) {
      throw new LocalCloudException(
          name + " (process " + pid() + ") did not end within " + KILL_WAIT + " of SIGKILL");
    }
    awaitOutput();
  }

  @Override
  public void close() {
    process.toHandle().destroy();
    if (!ended(GRACE)) {
      kill();
    }
    awaitOutput();
  }

  private boolean ended(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return !process.isAlive();
    }
  }

  /**
   * Waits for output that is still in the pipe after the process has ended. The wait is limited, as
   * a grandchild could keep the pipe open.
   */
  private void awaitOutput() {
    try {
      pump.join(KILL_WAIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void pump(Consumer<String> lines) {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader
          .lines()
          .forEach(
              line -> {
                keep(line);
                lines.accept(line);
              });
    } catch (IOException | UncheckedIOException e) {
      keep("(the output of " + name + " broke off: " + e.getMessage() + ")");
    }
  }

  private void keep(String line) {
    synchronized (lastLines) {
      lastLines.add(line);
    }
  }
}
