package dev.tallyroll.local.bill;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.BufferObserver;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Operations;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.simulation.Pace;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Plays a load on the emulators for some minutes, and compares the functions' operations, counted
 * on the wire, with the model's.
 */
record Trial(Demand demand, RunSettings settings, int minutes) {
  /** In this time, the functions see all counters, and runs find the live list. */
  private static final int WARM_UP_SECONDS = 60;

  /** The emulators answer sooner than Firestore. */
  private static final Assumed OF_THE_EMULATORS =
      new Assumed(
          Duration.ofMillis(20),
          Duration.ofMillis(2),
          Duration.ofMillis(5),
          Duration.ofMillis(100),
          1_000);

  private static final double TOLERANCE = 0.1;

  /** Below this share of the time, the figure is mostly the starts of calls. */
  private static final double NEGLIGIBLE_SHARE = 0.01;

  private static final long SEED = 5;

  /** Prints a row for each kind of operation; returns whether all are near the model. */
  boolean isNear(PrintWriter out) throws Exception {
    out.printf(
        "%n%s increments a second, %d minutes on the emulators:%n  %-22s %12s %12s%n",
        Profiles.name(demand), minutes, "", "model", "counted");
    try (LocalCloud cloud = LocalCloud.start(new LocalCloudOptions())) {
      return played(cloud, model(), out);
    }
  }

  /** The amounts of these minutes, by the model. */
  Usage model() {
    Pace pace = demand.pace(settings, OF_THE_EMULATORS);
    return Usage.NOTHING.plus(pace.monthWithoutSweeps(SEED), seconds() / Demand.MONTH_SECONDS);
  }

  private double seconds() {
    return Duration.ofMinutes(minutes).toSeconds();
  }

  private boolean played(LocalCloud cloud, Usage model, PrintWriter out) throws Exception {
    double seconds = seconds();
    Firestore firestore = cloud.openFirestore();
    try {
      Counters all = FirestoreCounters.of(firestore);
      Counters counters = demand.polled() ? all.polled() : all;
      List<CounterPath> paths = new ArrayList<>();
      for (int i = 0; i < demand.counters(); i++) {
        paths.add(CounterPath.of("c" + i));
        counters.counter(paths.get(i)).create(demand.shards()).get(1, TimeUnit.MINUTES);
      }
      Random random = new Random(SEED);
      AtomicLong commits = new AtomicLong();
      Consumer<CounterPath> increment = increment(counters, random, commits);
      count(increment, paths, arrivals(random, WARM_UP_SECONDS), random, WARM_UP_SECONDS);
      Operations before = cloud.operations();
      double roller = cloud.messages().billedSeconds();
      long early = commits.get();
      count(increment, paths, arrivals(random, seconds), random, seconds);
      Operations done = cloud.operations().minus(before);
      double committed = (double) commits.get() - early;
      double share = committed / model.increments();
      boolean near = row(out, "writes of shards", model.increments(), committed);
      double reads = (model.sums() + model.reads()) * share;
      near &= row(out, "sums and reads", reads, (double) done.sums() + done.reads());
      near &= row(out, "writes", model.writes() * share, (double) done.writes());
      double alive = cloud.messages().billedSeconds() - roller;
      return rollerRow(out, model.roller(), alive, seconds) && near;
    } finally {
      firestore.close();
    }
  }

  /** The random times of increments, as many as the rate gives. */
  private List<Double> arrivals(Random random, double seconds) {
    long number = Math.round(demand.rate() * demand.counters() * seconds);
    List<Double> times = new ArrayList<>();
    for (long i = 0; i < number; i++) {
      times.add(seconds * random.nextDouble());
    }
    Collections.sort(times);
    return times;
  }

  /** Counts each write of a shard: an increment, or what a server has added up. */
  private Consumer<CounterPath> increment(Counters counters, Random random, AtomicLong commits) {
    if (demand.servers() == 0) {
      return path -> {
        commits.incrementAndGet();
        var unused = counters.counter(path).add(1);
      };
    }
    BufferOptions options = BufferOptions.builder().observer(counting(commits)).build();
    List<BufferedCounters> servers =
        Stream.generate(() -> counters.buffered(options)).limit(demand.servers()).toList();
    return path -> {
      var unused = servers.get(random.nextInt(servers.size())).counter(path).add(1);
    };
  }

  private static BufferObserver counting(AtomicLong commits) {
    return new BufferObserver() {
      @Override
      public void flushed(int adds, Duration took) {
        commits.incrementAndGet();
      }
    };
  }

  private static void count(
      Consumer<CounterPath> increment,
      List<CounterPath> paths,
      List<Double> arrivals,
      Random random,
      double seconds) {
    long began = System.nanoTime();
    for (double at : arrivals) {
      LockSupport.parkNanos(began + (long) (at * 1e9) - System.nanoTime());
      increment.accept(paths.get(random.nextInt(paths.size())));
    }
    LockSupport.parkNanos(began + (long) (seconds * 1e9) - System.nanoTime());
  }

  private static boolean row(PrintWriter out, String what, double model, double counted) {
    boolean near = Math.abs(counted - model) <= TOLERANCE * model;
    out.printf(
        Locale.ROOT, "  %-22s %12.1f %12.1f %s%n", what, model, counted, near ? "" : "NOT NEAR");
    return near;
  }

  /** Prints short runs without a check: they are mostly the start of a call, which differs. */
  private static boolean rollerRow(PrintWriter out, double model, double counted, double seconds) {
    boolean negligible = Math.max(model, counted) < NEGLIGIBLE_SHARE * seconds;
    boolean near = negligible || Math.abs(counted - model) <= TOLERANCE * model;
    String remark = negligible ? "less than 1 % of the time" : near ? "" : "NOT NEAR";
    out.printf(
        Locale.ROOT, "  %-22s %12.1f %12.1f %s%n", "RollUp's seconds", model, counted, remark);
    return near;
  }
}
