package dev.tallyroll.local.up;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Operations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Counters with traffic on a local cloud, watched for a while. Used by one thread. */
final class Demo implements AutoCloseable {
  private static final List<String> NAMES = List.of("likes", "votes", "views", "shares", "plays");

  /** A crashed roller is replaced within a minute, so all must be quiet well after that. */
  private static final Duration UNTIL_QUIET = Duration.ofSeconds(90);

  private final LocalCloud cloud;
  private final Firestore firestore;
  private final List<DemoCounter> counters = new ArrayList<>();
  private final List<Long> before = new ArrayList<>();
  private final Table table;
  private long lastShown = System.nanoTime();

  Demo(LocalCloud cloud, Settings settings, UpOptions options, Table table)
      throws ExecutionException, InterruptedException {
    this.cloud = cloud;
    this.firestore = cloud.openFirestore();
    this.table = table;
    if (options.traffic() > 0) {
      for (int i = 0; i < options.counters(); i++) {
        counters.add(
            DemoCounter.create(
                firestore, settings.layout(), CounterPath.of(name(i)), options.shards()));
        before.add(0L);
      }
    }
  }

  private static String name(int index) {
    return index < NAMES.size() ? NAMES.get(index) : "counter-" + (index + 1);
  }

  /** Shows the table until {@code duration} has passed, or until it is asked to end. */
  void watch(Duration duration, CountDownLatch asked)
      throws ExecutionException, InterruptedException {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      if (asked.await(Math.min(left, table.period().toNanos()), TimeUnit.NANOSECONDS)) {
        return;
      }
      show();
    }
  }

  private void show() throws ExecutionException, InterruptedException {
    long now = System.nanoTime();
    double elapsed = (now - lastShown) / 1e9;
    lastShown = now;
    List<Table.Row> rows = new ArrayList<>();
    for (int i = 0; i < counters.size(); i++) {
      DemoCounter counter = counters.get(i);
      Meter meter = counter.meter();
      long acknowledged = meter.acknowledged();
      double rate = (double) (acknowledged - before.set(i, acknowledged)) / elapsed;
      double behind = meter.behind(System.nanoTime()) / 1e9;
      rows.add(
          new Table.Row(
              counter.name(), meter.total(), counter.exact(), rate, behind, counter.isLive()));
    }
    table.draw(rows, cloud.operations());
  }

  /** Ends the traffic, waits until all is quiet, and says what came of it. */
  Summary finish(Traffic traffic) throws ExecutionException, InterruptedException {
    traffic.close();
    long end = System.nanoTime() + UNTIL_QUIET.toNanos();
    while (!isQuiet(traffic) && System.nanoTime() < end) {
      Thread.sleep(100);
    }
    Operations done = cloud.operations();
    long acknowledged = counters.stream().mapToLong(c -> c.meter().acknowledged()).sum();
    long rolledUp = counters.stream().mapToLong(c -> c.meter().total()).sum();
    long exact = 0;
    int wrong = 0;
    for (DemoCounter counter : counters) {
      long sum = counter.exact();
      exact += sum;
      wrong += sum == counter.meter().total() && sum >= counter.meter().acknowledged() ? 0 : 1;
    }
    int backwards = counters.stream().mapToInt(c -> c.meter().backwards()).sum();
    List<Long> lags = counters.stream().flatMap(c -> c.meter().lags().stream()).toList();
    return new Summary(
        acknowledged,
        rolledUp,
        exact,
        traffic.failed(),
        traffic.leftOut(),
        wrong,
        backwards,
        Lags.of(lags),
        done);
  }

  private boolean isQuiet(Traffic traffic) throws ExecutionException, InterruptedException {
    if (!traffic.isAnswered() || !cloud.quiet()) {
      return false;
    }
    for (DemoCounter counter : counters) {
      if (counter.isLive() || counter.exact() != counter.meter().total()) {
        return false;
      }
    }
    return true;
  }

  List<DemoCounter> counters() {
    return counters;
  }

  @Override
  public void close() {
    counters.forEach(DemoCounter::close);
    firestore.shutdown();
  }
}
