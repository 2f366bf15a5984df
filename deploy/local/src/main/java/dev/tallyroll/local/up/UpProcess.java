package dev.tallyroll.local.up;

import dev.tallyroll.local.Operations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code deploy/local/up --traffic none} as another process, and what it prints. Thread-safe. */
final class UpProcess implements AutoCloseable {
  /** Longer than a first build. */
  private static final long START_MINUTES = 10;

  /** Counts arrive within a second of the work, and are printed every five. */
  private static final long SETTLE_MILLIS = 7_000;

  private static final Pattern READY =
      Pattern.compile(
          "ready: FIRESTORE_EMULATOR_HOST=(\\S+) PUBSUB_EMULATOR_HOST=\\S+ GOOGLE_CLOUD_PROJECT=(\\S+)");
  private static final Pattern COUNTS =
      Pattern.compile("functions so far: reads (\\d+), sums (\\d+), writes (\\d+), deletes (\\d+)");

  private final Process process;
  private final CompletableFuture<Matcher> ready = new CompletableFuture<>();
  private volatile Operations operations = Operations.NONE;

  private UpProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "up");
    reader.setDaemon(true);
    reader.start();
  }

  static UpProcess start(String home)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    Process process =
        new ProcessBuilder(home + "/deploy/local/up", "--traffic", "none")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    UpProcess up = new UpProcess(process);
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    up.ready.get(START_MINUTES, TimeUnit.MINUTES);
    return up;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take(line);
      }
      ready.completeExceptionally(new IOException("up ended before it was ready"));
    } catch (IOException failure) {
      ready.completeExceptionally(new UncheckedIOException(failure));
    }
  }

  private void take(String line) {
    Matcher addresses = READY.matcher(line);
    Matcher counts = COUNTS.matcher(line);
    if (addresses.matches()) {
      ready.complete(addresses);
    } else if (counts.matches()) {
      operations =
          new Operations(
              Long.parseLong(counts.group(1)),
              Long.parseLong(counts.group(2)),
              Long.parseLong(counts.group(3)),
              Long.parseLong(counts.group(4)));
    }
  }

  String firestoreHost() {
    return ready.join().group(1);
  }

  String project() {
    return ready.join().group(2);
  }

  Operations operations() {
    return operations;
  }

  /** What the functions have done, once their own counts have caught up. */
  Operations settledOperations() throws InterruptedException {
    Thread.sleep(SETTLE_MILLIS);
    return operations;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
  }
}
