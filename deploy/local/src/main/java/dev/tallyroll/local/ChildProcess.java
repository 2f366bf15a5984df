package dev.tallyroll.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child JVM on a {@link Leash}: it ends with {@link #close}, with {@link #kill}, or, whatever
 * happens to the launcher, with the launcher. Its output goes line by line to a consumer, on a
 * thread of its own. Thread-safe.
 */
final class ChildProcess implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration KILL_WAIT = Duration.ofSeconds(5);

  private final String name;
  private final Process process;
  private final LastLines lastLines = new LastLines();
  private final Thread pump;

  private ChildProcess(String name, Process process, Consumer<String> lines) {
    this.name = name;
    this.process = process;
    this.pump = new Thread(() -> pump(lines), "output-of-" + name);
    pump.setDaemon(true);
  }

  static ChildProcess start(JvmCommand command, Consumer<String> lines) {
    var builder = new ProcessBuilder(command.commandLine()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(command.environment());
    try {
      var child = new ChildProcess(command.name(), builder.start(), lines);
      child.pump.start();
      return child;
    } catch (IOException e) {
      throw new LocalCloudException("could not start a JVM for " + command.name(), e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  LastLines lastLines() {
    return lastLines;
  }

  /**
   * Says that the child ended though it should run, with its exit code and the end of its output.
   */
  LocalCloudException died() {
    awaitOutput();
    return new LocalCloudException(
        "%s ended with exit code %d:%n%s".formatted(name, process.exitValue(), lastLines.shown()));
  }

  /** Ends the child at once (SIGKILL), as a crash would. */
  void kill() {
    // By its handle: Process.destroy would close the pipe too, and the leash would race with the
    // signal.
    process.toHandle().destroyForcibly();
    if (!ended(KILL_WAIT)) {
      throw new LocalCloudException(
          name + " (process " + pid() + ") did not end within " + KILL_WAIT + " of SIGKILL");
    }
    awaitOutput();
  }

  /** Asks the child to end (SIGTERM); returns at once. */
  void terminate() {
    process.toHandle().destroy();
  }

  @Override
  public void close() {
    terminate();
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
   * Output may still be on its way when the process is gone; a grandchild could keep the pipe open,
   * so not for ever.
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
                lastLines.add(line);
                lines.accept(line);
              });
    } catch (IOException | UncheckedIOException e) {
      lastLines.add("(the output of " + name + " broke off: " + e.getMessage() + ")");
    }
  }
}
