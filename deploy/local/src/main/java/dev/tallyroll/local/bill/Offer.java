package dev.tallyroll.local.bill;

import static dev.tallyroll.local.bill.Prices.Item.DELETE;
import static dev.tallyroll.local.bill.Prices.Item.FIRST_GENERATION_SLOT;
import static dev.tallyroll.local.bill.Prices.Item.GIB_SECOND;
import static dev.tallyroll.local.bill.Prices.Item.GIB_SECOND_BY_INSTANCE;
import static dev.tallyroll.local.bill.Prices.Item.LOG_BYTE;
import static dev.tallyroll.local.bill.Prices.Item.PUBSUB_BYTE;
import static dev.tallyroll.local.bill.Prices.Item.READ;
import static dev.tallyroll.local.bill.Prices.Item.REQUEST;
import static dev.tallyroll.local.bill.Prices.Item.SCHEDULER_JOB;
import static dev.tallyroll.local.bill.Prices.Item.VCPU_SECOND;
import static dev.tallyroll.local.bill.Prices.Item.VCPU_SECOND_BY_INSTANCE;
import static dev.tallyroll.local.bill.Prices.Item.WRITE;

import dev.tallyroll.local.bill.Prices.Item;
import dev.tallyroll.settings.PlatformSettings;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One way to count, and its bill of 30 days. */
record Offer(String name, List<Line> lines) {
  static final int EVENT_BYTES = 1_200;
  static final int MESSAGE_BYTES = 1_000;
  static final int LINE_BYTES = 400;
  private static final double MEMORY_GIB = 0.5;
  private static final int JOBS = 1;

  /** The extension's seconds: a round, the pause that ends a series, and its life after that. */
  private static final double ROUND = 0.12;

  private static final double PAUSE = 0.18;
  private static final double STAY = 60;

  /** The extension's further operations in the first round after a pause. */
  private static final double FIRST_READS = 3.2;

  private static final double FIRST_WRITES = 1.1;

  /** The calls of Firestore that a simple function has under way at once. */
  private static final int CALLS_AT_ONCE = 20;

  /** The smallest instance of Cloud Run, and what Node takes of a vCPU for a call of Firestore. */
  private static final double LEAST_CPU = 0.083;

  private static final double LEAST_GIB = 0.125;
  private static final double CPU_OF_A_CALL = 0.001;

  /** Slots of 100 ms in a second. */
  private static final double SLOTS = 10;

  /** Pub/Sub bills each byte twice: when it comes in, and when it goes out. */
  private static final int BOTH_WAYS = 2;

  /**
   * A line of the bill.
   *
   * @param items the billed quantity of each item
   */
  record Line(String name, Map<Item, Double> items) {
    Line(String name, Item item, double quantity) {
      this(name, Map.of(item, quantity));
    }

    Line(String name, Item one, double first, Item other, double second) {
      this(name, Map.of(one, first, other, second));
    }

    double dollars(Prices prices) {
      return items.entrySet().stream()
          .mapToDouble(item -> prices.dollars(item.getKey(), item.getValue()))
          .sum();
    }
  }

  double dollars(Prices prices) {
    return lines.stream().mapToDouble(line -> line.dollars(prices)).sum();
  }

  /** The dollars that the free amounts save here. */
  double free(Prices prices) {
    Map<Item, Double> all = new EnumMap<>(Item.class);
    lines.forEach(line -> line.items.forEach((item, n) -> all.merge(item, n, Double::sum)));
    return all.entrySet().stream()
        .mapToDouble(
            used ->
                prices.dollars(
                    used.getKey(), Math.min(used.getValue(), prices.free(used.getKey()))))
        .sum();
  }

  private static double increments(Load load) {
    return load.written(load.rate() * load.totals() * Month.SECONDS + load.firstsAMonth());
  }

  private static Line views(Load load) {
    return new Line("views: a read each", READ, load.views() * load.totals() * Month.SECONDS);
  }

  private static Line writes(Load load, double changes) {
    double deletes = changes * load.shards().deletes();
    return load.shards().areDocuments()
        ? new Line("the app: its writes, and deletes", WRITE, changes - deletes, DELETE, deletes)
        : new Line("clients: one write an increment", WRITE, changes);
  }

  /** The changes alone, which no reader sees. */
  static Offer changesAlone(Load load) {
    return new Offer(
        load.shards().areDocuments() ? "the changes alone" : "the increments alone",
        List.of(writes(load, increments(load))));
  }

  /** The functions. */
  static Offer tallyroll(Load load) {
    Month month = Month.of(load);
    PlatformSettings platform = load.platform();
    double requests = month.messages() + (load.byInstance() ? 0 : month.events());
    double roller = month.roller();
    double listened = month.shown() * load.listeners();
    double fields = load.writesFields() ? month.shown() + load.firstsAMonth() : 0;
    return new Offer(
        "Tallyroll",
        List.of(
            writes(load, month.increments()),
            new Line(
                "events and messages: bytes by Pub/Sub, in and out",
                PUBSUB_BYTE,
                BOTH_WAYS * (month.events() * EVENT_BYTES + month.messages() * MESSAGE_BYTES)),
            new Line("both functions: requests", REQUEST, requests),
            handler(load, month.handler()),
            new Line(
                "RollUp: vCPU-seconds and memory",
                VCPU_SECOND,
                roller * Double.parseDouble(platform.rollupCpu()),
                GIB_SECOND,
                roller * platform.rollupMebibytes() / 1024),
            new Line(
                "roll-ups: sums and reads",
                READ,
                month.sums() * load.readsOfASum() + month.reads()),
            new Line(
                "roll-ups: writes, and deletes", WRITE, month.writes(), DELETE, month.deletes()),
            new Line("counters' own documents: a write each total", WRITE, fields),
            new Line("logs: bytes", LOG_BYTE, month.messages() * LINE_BYTES),
            new Line("Cloud Scheduler: jobs", SCHEDULER_JOB, JOBS),
            new Line("listeners: a read each change", READ, listened),
            views(load)));
  }

  private static Line handler(Load load, double seconds) {
    String name = "OnShardWritten: vCPU-seconds and memory";
    double alive = load.instances() * Month.SECONDS;
    return load.byInstance()
        ? new Line(name, VCPU_SECOND_BY_INSTANCE, alive, GIB_SECOND_BY_INSTANCE, alive * MEMORY_GIB)
        : new Line(
            name, VCPU_SECOND, seconds * load.handlerCpus(), GIB_SECOND, seconds * MEMORY_GIB);
  }

  /**
   * Twenty lines of one's own, which list the counters, and sum and set each, every so many
   * seconds. Each minute: a function of a whole vCPU, for the time of its calls. Oftener: a loop
   * that never ends, on the smallest instance that runs Node, or as much of a vCPU as its calls
   * take.
   */
  static Offer sumEach(double seconds, Load load) {
    double rounds = Month.SECONDS / seconds;
    double summed = rounds * load.all();
    double changed = load.totals() * rounds * (1 - StrictMath.exp(-seconds * load.rate()));
    boolean loops = seconds < 60;
    double alive =
        loops ? Month.SECONDS : rounds * Math.max(0.1, load.all() * 0.08 / CALLS_AT_ONCE);
    double cpu = loops ? Math.max(LEAST_CPU, load.all() * 2 * CPU_OF_A_CALL / seconds) : 1;
    String call = load.shards().areDocuments() ? "count()" : "sum()";
    return new Offer(
        "a %s that calls `%s` each %s"
            .formatted(
                loops ? "loop" : "function",
                call,
                seconds == 1 ? "second" : loops ? Bill.number(seconds) + " seconds" : "minute"),
        List.of(
            writes(load, increments(load)),
            new Line("its list and sums", READ, summed * (1 + load.shards().readsOfASum())),
            new Line("its writes", WRITE, summed),
            new Line(
                "its vCPU-seconds",
                VCPU_SECOND,
                alive * cpu,
                GIB_SECOND,
                alive * (loops ? LEAST_GIB : MEMORY_GIB)),
            new Line("Cloud Scheduler: jobs", SCHEDULER_JOB, JOBS),
            new Line("listeners: a read each change", READ, changed * load.listeners()),
            views(load)));
  }

  /**
   * The Firebase extension firestore-counter 0.2.15, by its code, not measured. After each
   * increment a function works for some seconds to a minute. Each of its rounds takes 0.12 s and
   * costs, for n shards, 2n + 3 reads, n deletes, and a write for each counter and one more. A
   * round after a pause costs more.
   */
  static Offer extension(Load load) {
    double increments = increments(load);
    double all = increments / Month.SECONDS;
    double rounds = (1 - StrictMath.exp(-ROUND * all)) / ROUND;
    double each = all / rounds;
    double changed = load.counters() * (1 - StrictMath.exp(-ROUND * load.rate())) / ROUND;
    double firsts = load.firstsAMonth() / Month.SECONDS;
    double differing = (changed + firsts) / rounds;
    double pauses = StrictMath.exp(-PAUSE * all);
    double busy = 1 - StrictMath.exp(-STAY * all);
    double slots = increments + busy * Month.SECONDS * SLOTS;
    return new Offer(
        "Firebase extension 0.2.15, by its code",
        List.of(
            writes(load, increments),
            new Line("its function: requests", REQUEST, increments),
            new Line("its function: 100 ms of 256 MB", FIRST_GENERATION_SLOT, slots),
            new Line(
                "its function: reads", READ, increments * (2 + 3 / each + FIRST_READS * pauses)),
            new Line(
                "its function: writes, and deletes",
                WRITE,
                increments * ((1 + differing) / each + FIRST_WRITES * pauses),
                DELETE,
                increments),
            new Line(
                "listeners: a read each change", READ, changed * Month.SECONDS * load.listeners()),
            views(load)));
  }
}
