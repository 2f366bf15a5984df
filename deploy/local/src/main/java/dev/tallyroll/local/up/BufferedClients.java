package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.BufferObserver;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.LocalCloud;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Three processes add to one counter through buffers, and are killed or told to end at random;
 * after each another begins. It is also the program of these processes, each of which prints a line
 * for each add, for each add that ended, and for each commit.
 */
final class BufferedClients {
  static final String NAME = "buffered";
  static final String WHAT =
      "one counter, three processes that add through buffers, and are killed";
  private static final Duration LASTS = Duration.ofMinutes(1);
  private static final int PROCESSES = 3;

  /** Of each process. With the time that new processes take to start, 1,000 a second of all. */
  private static final int ADDS_A_SECOND = 650;

  private static final int SHARDS = 10;
  private static final int LEAST_LIFE_MILLIS = 3_000;
  private static final int MOST_LIFE_MILLIS = 15_000;

  private final LocalCloud cloud;
  private final List<Long> latencies = new ArrayList<>();
  private final List<Long> commits = new ArrayList<>();
  private long added;
  private long failed;
  private long leftByKills;
  private long leftByCloses;
  private int killed;
  private int closed;

  private BufferedClients(LocalCloud cloud) {
    this.cloud = cloud;
  }

  /**
   * Runs the processes, and prints what they did; returns whether no add was lost, counted twice or
   * left behind by a close.
   */
  static boolean measure(LocalCloud cloud, PrintStream out) throws Exception {
    BufferedClients clients = new BufferedClients(cloud);
    Firestore firestore = cloud.openFirestore();
    Counter counter = FirestoreCounters.of(firestore).counter(NAME);
    counter.create(SHARDS).get();
    clients.run(System.nanoTime() + LASTS.toNanos());
    long sum = counter.exactTotal().get().longValue();
    firestore.shutdown();
    out.println(clients.report(sum));
    return clients.isRight(sum);
  }

  private boolean isRight(long sum) {
    return leftByCloses == 0
        && latencies.size() <= sum
        && sum <= latencies.size() + failed + leftByKills;
  }

  private void run(long end) throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
    List<Future<?>> places = new ArrayList<>();
    for (int place = 0; place < PROCESSES; place++) {
      Random random = new Random(place);
      places.add(
          threads.submit(
              () -> {
                while (System.nanoTime() - end < 0) {
                  live(random, end);
                }
                return null;
              }));
    }
    threads.shutdown();
    for (Future<?> place : places) {
      place.get();
    }
  }

  /** One process, from its start to its end; the last one of a place is closed. */
  private void live(Random random, long end) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                BufferedClients.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(cloud.addresses());
    Process process = builder.start();
    Life life = new Life();
    Thread reader = new Thread(() -> life.read(process), "output-of-a-client");
    reader.start();
    long most = TimeUnit.MILLISECONDS.toNanos(random.nextInt(LEAST_LIFE_MILLIS, MOST_LIFE_MILLIS));
    long rest = end - System.nanoTime();
    boolean isKilled = most < rest && random.nextBoolean();
    TimeUnit.NANOSECONDS.sleep(Math.min(most, rest));
    // Process.destroy would also close the pipe.
    var unused = isKilled ? process.toHandle().destroyForcibly() : process.toHandle().destroy();
    process.waitFor();
    reader.join();
    count(life, isKilled);
  }

  private synchronized void count(Life life, boolean isKilled) {
    added += life.added;
    failed += life.failed;
    latencies.addAll(life.latencies);
    commits.addAll(life.commits);
    long left = life.added - life.failed - life.latencies.size();
    if (isKilled) {
      killed++;
      leftByKills += left;
    } else {
      closed++;
      leftByCloses += left;
    }
  }

  private String report(long sum) {
    return String.format(
        Locale.ROOT,
        "%-10s %d adds: %d acknowledged, %d failed, %d open at %d kills, %d left by %d closes;"
            + " sum of the shards %d; %d commits%n%-10s futures: %s; calls: %s",
        NAME,
        added,
        latencies.size(),
        failed,
        leftByKills,
        killed,
        leftByCloses,
        closed,
        sum,
        commits.size(),
        "",
        Lags.of(latencies),
        Lags.of(calls()));
  }

  /** A commit's time from its first add, without the wait for others. */
  private List<Long> calls() {
    long wait = BufferOptions.DEFAULT.maxDelay().toNanos();
    return commits.stream().map(took -> took - wait).filter(call -> call > 0).toList();
  }

  /** What a process has printed. Read by one thread, which has ended before others look. */
  private static final class Life {
    private final List<Long> latencies = new ArrayList<>();
    private final List<Long> commits = new ArrayList<>();
    private long added;
    private long failed;

    private void read(Process process) {
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        output.lines().map(line -> line.split(" ")).forEach(this::read);
      } catch (IOException broken) {
        throw new IllegalStateException(broken);
      }
    }

    private void read(String[] words) {
      switch (words[0]) {
        case "add" -> added++;
        case "acknowledged" -> latencies.add(Long.valueOf(words[1]));
        case "failed" -> failed++;
        case "commit" -> commits.add(Long.valueOf(words[1]));
        default -> throw new IllegalStateException(String.join(" ", words));
      }
    }
  }

  /** One process: adds until it is told to end, or until its parent has ended. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    BufferOptions options =
        BufferOptions.builder()
            .observer(
                new BufferObserver() {
                  @Override
                  public void flushed(int adds, Duration took) {
                    out.println("commit " + took.toNanos());
                  }
                })
            .build();
    Counters counters = FirestoreCounters.of(FirestoreOptions.getDefaultInstance().getService());
    // The first call takes seconds: it opens the connection, and a JVM begins slowly.
    counters.counter(NAME).prepare(1).get();
    BufferedCounters buffered = counters.buffered(options);
    AtomicBoolean told = new AtomicBoolean();
    Thread adding = new Thread(() -> add(buffered.counter(NAME), told, out), "adds");
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  told.set(true);
                  join(adding);
                  buffered.close();
                }));
    adding.start();
    while (System.in.read() >= 0) {
      // The parent writes nothing.
    }
    Runtime.getRuntime().halt(1);
  }

  private static void join(Thread adding) {
    try {
      adding.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void add(BufferedCounter counter, AtomicBoolean told, PrintStream out) {
    long start = System.nanoTime();
    long between = TimeUnit.SECONDS.toNanos(1) / ADDS_A_SECOND;
    for (long number = 0; !told.get(); number++) {
      LockSupport.parkNanos(start + number * between - System.nanoTime());
      out.println("add");
      long began = System.nanoTime();
      ApiFuture<Instant> add = counter.add(1);
      ApiFutures.addCallback(
          add,
          new ApiFutureCallback<>() {
            @Override
            public void onSuccess(Instant committed) {
              out.println("acknowledged " + (System.nanoTime() - began));
            }

            @Override
            public void onFailure(Throwable failure) {
              out.println("failed " + failure);
            }
          },
          Runnable::run);
    }
  }
}
