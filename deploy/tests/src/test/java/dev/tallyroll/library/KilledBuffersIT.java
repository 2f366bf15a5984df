package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.Counter;
import dev.tallyroll.Home;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that add through buffers, and are killed, or told to end. */
@On(Site.SHARED)
final class KilledBuffersIT {
  private static final Duration MAX_DELAY = Duration.ofMillis(100);
  private static final Duration BETWEEN_ADDS = Duration.ofMillis(1);
  private static final String ADDED = "added";
  private static final String COUNTED = "counted";
  private static final String FAILED = "failed";

  private final LocalCloud cloud;
  private final TestClient client;

  KilledBuffersIT(LocalCloud cloud) {
    this.cloud = cloud;
    this.client = new TestClient(cloud);
  }

  @AfterEach
  void close() {
    client.close();
  }

  /** At another moment of a commit each time. */
  @ParameterizedTest
  @ValueSource(ints = {100, 333, 777})
  void kill_losesOnlyAddsThatWereOpen(int acknowledged) throws Exception {
    Counter counter = client.created(3);

    var life = live(counter, acknowledged, ProcessHandle::destroyForcibly);

    long open = number(life, ADDED) - number(life, COUNTED) - number(life, FAILED);
    assertThat(open).isPositive();
    assertThat(get(counter.exactTotal()).longValue())
        .isBetween(number(life, COUNTED), number(life, COUNTED) + number(life, FAILED) + open);
  }

  @Test
  void close_leavesNothing() throws Exception {
    Counter counter = client.created(3);

    var life = live(counter, 300, ProcessHandle::destroy);

    assertThat(life).containsEntry(FAILED, 0).containsEntry(COUNTED, life.get(ADDED));
    assertThat(get(counter.exactTotal()).longValue()).isEqualTo(number(life, ADDED));
  }

  private static long number(Map<String, Integer> life, String kind) {
    return life.getOrDefault(kind, 0);
  }

  /** How many lines of each kind a process prints that is ended after so many adds have counted. */
  private Map<String, Integer> live(
      Counter counter, int acknowledged, java.util.function.Consumer<ProcessHandle> end)
      throws Exception {
    var builder =
        new ProcessBuilder(
                Home.jdk("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledBuffersIT.class.getName(),
                counter.path().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(cloud.addresses());
    Process process = builder.start();
    Map<String, Integer> life = new HashMap<>(Map.of(ADDED, 0, COUNTED, 0, FAILED, 0));
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        life.merge(line, 1, Integer::sum);
        if (number(life, COUNTED) == acknowledged) {
          end.accept(process.toHandle()); // Process.destroy would also close the pipe
        }
      }
    } finally {
      process.destroyForcibly();
    }
    return life;
  }

  /** One process: adds until it is told to end, or until its parent has ended. */
  public static void main(String[] arguments) throws Exception {
    var out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    var firestore = FirestoreOptions.getDefaultInstance().getService();
    var buffered =
        FirestoreCounters.of(firestore, TestClient.UNWATCHED)
            .buffered(BufferOptions.builder().maxDelay(MAX_DELAY).build());
    var counter = buffered.counter(arguments[0]);
    var told = new AtomicBoolean();
    var adding =
        new Thread(
            () -> {
              while (!told.get()) {
                out.println(ADDED);
                ApiFutures.addCallback(counter.add(1), printing(out), Runnable::run);
                LockSupport.parkNanos(BETWEEN_ADDS.toNanos());
              }
              buffered.close();
            },
            "adds");
    adding.start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  told.set(true);
                  join(adding);
                }));
    while (System.in.read() >= 0) {
      // The parent writes nothing.
    }
    Runtime.getRuntime().halt(1);
  }

  private static ApiFutureCallback<Instant> printing(PrintStream out) {
    return new ApiFutureCallback<>() {
      @Override
      public void onSuccess(Instant committed) {
        out.println(COUNTED);
      }

      @Override
      public void onFailure(Throwable failure) {
        out.println(FAILED);
      }
    };
  }

  private static void join(Thread adding) {
    try {
      adding.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
