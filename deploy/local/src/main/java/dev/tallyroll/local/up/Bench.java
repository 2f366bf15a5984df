package dev.tallyroll.local.up;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.local.Operations;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;

/**
 * The program behind {@code deploy/local/bench}: drives counters from outside, and prints how far
 * their roll-ups lag behind and what the functions did for each increment.
 *
 * <p>It starts {@code deploy/local/up --traffic none} as another process and talks to the emulator
 * there. Rows are measured one after the other, each with a counter of its own.
 */
public final class Bench {
  private static final Duration ROW = Duration.ofSeconds(20);
  private static final Duration QUIET_ROW = Duration.ofSeconds(30);
  private static final Duration WARM_UP = Duration.ofSeconds(8);
  private static final Duration UNTIL_SHOWN = Duration.ofSeconds(90);
  private static final double ONE_IN_2500_MS = 0.4;

  private final Firestore firestore;
  private final Settings settings;
  private final UpProcess up;
  private final PrintStream out;

  private Bench(Firestore firestore, Settings settings, UpProcess up, PrintStream out) {
    this.firestore = firestore;
    this.settings = settings;
    this.up = up;
    this.out = out;
  }

  /** Measures every row; exits with 1 if an increment was lost or failed. */
  public static void main(String[] arguments) throws Exception {
    boolean right;
    try (UpProcess up = UpProcess.start(System.getProperty("tallyroll.home", "."))) {
      Firestore firestore =
          FirestoreOptions.newBuilder()
              .setProjectId(up.project())
              .setEmulatorHost(up.firestoreHost())
              .build()
              .getService();
      right = new Bench(firestore, Settings.from(System::getenv), up, System.out).run();
      firestore.shutdown();
    }
    System.exit(right ? 0 : 1);
  }

  private boolean run() throws ExecutionException, InterruptedException {
    measure("warm-up", 20, 10, WARM_UP);
    out.println(
        "increments/s  shards  acknowledged  failed  lost  lag p50  p99    max    "
            + "reads   sums    writes  deletes (per increment)");
    boolean slow = measure("20", 20, 10, ROW);
    boolean faster = measure("100", 100, 100, ROW);
    boolean fast = measure("300", 300, 300, ROW);
    boolean quiet = measure("quiet", ONE_IN_2500_MS, 10, QUIET_ROW);
    return slow && faster && fast && quiet;
  }

  private boolean measure(String name, double rate, int shards, Duration duration)
      throws ExecutionException, InterruptedException {
    CounterPath path = CounterPath.of("bench-" + name);
    Operations before = up.operations();
    try (DemoCounter counter = DemoCounter.create(firestore, settings.layout(), path, shards)) {
      Traffic traffic = new Traffic(List.of(counter), rate);
      Thread.sleep(duration.toMillis());
      traffic.close();
      awaitShown(counter, traffic);
      long lost = counter.exact() - counter.meter().total();
      if (!name.equals("warm-up")) {
        print(name, counter, traffic, lost, up.settledOperations().minus(before));
      }
      return lost == 0 && traffic.failed() == 0 && counter.meter().backwards() == 0;
    }
  }

  private static void awaitShown(DemoCounter counter, Traffic traffic)
      throws ExecutionException, InterruptedException {
    long end = System.nanoTime() + UNTIL_SHOWN.toNanos();
    while (System.nanoTime() < end) {
      boolean shown = traffic.isAnswered() && counter.exact() == counter.meter().total();
      if (shown && !counter.isLive()) {
        return;
      }
      Thread.sleep(100);
    }
  }

  private void print(
      String name, DemoCounter counter, Traffic traffic, long lost, Operations done) {
    double increments = Math.max(1, counter.meter().acknowledged());
    Lags lags = Lags.of(counter.meter().lags());
    out.println(
        String.format(
            Locale.ROOT,
            "%-13s %6d  %12d  %6d  %4d  %7.2f  %5.2f  %5.2f  %6.3f  %6.3f  %6.3f  %6.3f",
            name,
            counter.shards(),
            counter.meter().acknowledged(),
            traffic.failed(),
            lost,
            lags.p50(),
            lags.p99(),
            lags.max(),
            done.reads() / increments,
            done.sums() / increments,
            done.writes() / increments,
            done.deletes() / increments));
  }
}
