package dev.tallyroll.local.bill;

import dev.tallyroll.local.bill.Prices.Item;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One way to count, and its bill of 30 days.
 *
 * @param name of the way
 * @param remark a fact that readers must know about this way; may be empty
 */
record Offer(String name, String remark, List<Line> lines) {
  static final int EVENT_BYTES = 1_200;
  static final int MESSAGE_BYTES = 1_000;
  static final int REQUEST_ENTRY_BYTES = 1_000;
  static final int LINE_BYTES = 400;
  private static final double MEMORY_GIB = 0.5;
  private static final int JOBS = 1;

  /** The line of the sums, if documents are shards. */
  static final String SUMS = "roll-ups: sums, a read for each 1,000 documents";

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
    double dollars(Prices prices) {
      return items.entrySet().stream()
          .mapToDouble(item -> prices.dollars(item.getKey(), item.getValue()))
          .sum();
    }

    /** The quantity of the first item, which is the main one. */
    double quantity() {
      return items.values().iterator().next();
    }
  }

  private static Line line(String name, Item item, double quantity) {
    return new Line(name, Map.of(item, quantity));
  }

  private static Line line(String name, Item one, double first, Item other, double second) {
    Map<Item, Double> items = new LinkedHashMap<>();
    items.put(one, first);
    items.put(other, second);
    return new Line(name, items);
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

  /** All ways to count; the functions are the first. */
  static List<Offer> all(Load load) {
    if (load.shards().areDocuments()) {
      return List.of(
          tallyroll(load), addEach(load), allShards(load), sumByReaders(load), sumEachMinute(load));
    }
    return List.of(
        tallyroll(load),
        oneDocument(load),
        allShards(load),
        sumByReaders(load),
        extension(load),
        sumEachMinute(load));
  }

  private static double increments(Load load) {
    return load.rate() * load.counters() * Month.SECONDS;
  }

  private static double allViews(Load load) {
    return load.views() * load.counters() * Month.SECONDS;
  }

  private static double readsOfASum(Load load) {
    return load.shards().readsOfASum();
  }

  private static Line writes(Load load, double changes) {
    Shards shards = load.shards();
    double deletes = changes * shards.deletes();
    double written = changes - deletes;
    return switch (shards.kind()) {
      case INCREMENTED -> line("clients: one write an increment", Item.WRITE, changes);
      case DOCUMENTS ->
          line("the app: its writes, and deletes", Item.WRITE, written, Item.DELETE, deletes);
      case BESIDE_DOCUMENTS ->
          line(
              "the app: its writes and increments, and deletes",
              Item.WRITE,
              written + changes,
              Item.DELETE,
              deletes);
    };
  }

  /** The changes alone, which no reader sees. */
  static Offer changesAlone(Load load) {
    return new Offer("the changes alone", "", List.of(writes(load, increments(load))));
  }

  /** A listener to a query pays nothing for a delete. */
  private static Line readOfEachIncrement(Load load) {
    double read = increments(load) * (1 - load.shards().deletes());
    return line("listeners: a read each increment", Item.READ, read * load.listeners());
  }

  private static String call(Load load) {
    return load.shards().areDocuments() ? "count()" : "sum()";
  }

  static Offer tallyroll(Load load) {
    Month month = Month.of(load);
    double requests = month.events() + month.messages();
    List<Line> lines = new ArrayList<>();
    lines.add(writes(load, month.increments()));
    lines.add(
        line(
            "events and messages: bytes by Pub/Sub, in and out",
            Item.PUBSUB_BYTE,
            BOTH_WAYS * (month.events() * EVENT_BYTES + month.messages() * MESSAGE_BYTES)));
    if (load.byInstance()) {
      double alive = load.instances() * Month.SECONDS;
      lines.add(line("RollUp: requests", Item.REQUEST, month.messages()));
      lines.add(
          line(
              "OnShardWritten: vCPU-seconds, 1 vCPU and 512 MiB",
              Item.VCPU_SECOND_BY_INSTANCE,
              alive,
              Item.GIB_SECOND_BY_INSTANCE,
              alive * MEMORY_GIB));
    } else {
      lines.add(line("both functions: requests", Item.REQUEST, requests));
      lines.add(
          line(
              "OnShardWritten: vCPU-seconds, "
                  + Bill.number(load.handlerCpu())
                  + " vCPU and 512 MiB",
              Item.VCPU_SECOND,
              month.handler() * load.handlerCpu(),
              Item.GIB_SECOND,
              month.handler() * MEMORY_GIB));
    }
    lines.add(
        line(
            "RollUp: vCPU-seconds, %s vCPU and %d MiB"
                .formatted(load.rollerCpu(), load.rollerMebibytes()),
            Item.VCPU_SECOND,
            month.roller() * load.rollerCpu(),
            Item.GIB_SECOND,
            month.roller() * load.rollerMebibytes() / 1024));
    double summed = month.sums() * load.readsOfASum();
    if (load.shards().areDocuments()) {
      lines.add(line(SUMS, Item.READ, summed));
      lines.add(line("roll-ups: reads", Item.READ, month.reads()));
    } else {
      lines.add(line("roll-ups: sums and reads", Item.READ, summed + month.reads()));
    }
    lines.add(
        line(
            "roll-ups: writes, and deletes",
            Item.WRITE,
            month.writes(),
            Item.DELETE,
            month.deletes()));
    lines.add(
        line(
            "counters' own documents: a write each total",
            Item.WRITE,
            load.writesFields() ? month.shown() : 0));
    lines.add(
        line(
            "logs: bytes",
            Item.LOG_BYTE,
            (load.requestLogs() ? requests * REQUEST_ENTRY_BYTES : 0)
                + month.messages() * LINE_BYTES));
    lines.add(line("Cloud Scheduler: jobs", Item.SCHEDULER_JOB, JOBS));
    lines.add(line("listeners: a read each change", Item.READ, month.shown() * load.listeners()));
    lines.add(line("views: a read each", Item.READ, allViews(load)));
    return new Offer("Tallyroll", "", lines);
  }

  static Offer oneDocument(Load load) {
    return new Offer(
        "one document",
        load.rate() > 1 ? "a document takes about one write a second, so this fails" : "",
        List.of(
            writes(load, increments(load)),
            readOfEachIncrement(load),
            line("views: a read each", Item.READ, allViews(load))));
  }

  static Offer allShards(Load load) {
    String read = load.shards().areDocuments() ? "documents" : "shards";
    return new Offer(
        "reading all " + read,
        "readers may read "
            + read
            + (load.shards().areDocuments()
                ? "; a listener reads all of them first, which is not in it"
                : ""),
        List.of(
            writes(load, increments(load)),
            readOfEachIncrement(load),
            line("views: a read each shard", Item.READ, allViews(load) * load.shards().number())));
  }

  static Offer sumByReaders(Load load) {
    double tick = load.runs().timing().tick().toMillis() / 1e3;
    return new Offer(
        call(load) + " by each reader",
        "readers may read what is summed; listeners ask once a tick",
        List.of(
            writes(load, increments(load)),
            line(
                "listeners: a sum each tick",
                Item.READ,
                (double) load.listeners()
                    * load.counters()
                    * Month.SECONDS
                    / tick
                    * readsOfASum(load)),
            line("views: a sum each", Item.READ, allViews(load) * readsOfASum(load))));
  }

  /** {@link #sumEach} minute. */
  static Offer sumEachMinute(Load load) {
    return sumEach(60, load);
  }

  /**
   * Twenty lines of one's own, which list the counters, and sum and set each, every so many
   * seconds. Each minute: a function of a whole vCPU, for the time of its calls. Oftener: a loop
   * that never ends, on the smallest instance that runs Node, or as much of a vCPU as its calls
   * take.
   */
  static Offer sumEach(int seconds, Load load) {
    double rounds = Month.SECONDS / seconds;
    int counters = load.counters();
    double changed = 1 - StrictMath.exp(-seconds * load.rate());
    boolean loops = seconds < 60;
    double alive = loops ? Month.SECONDS : rounds * Math.max(0.1, counters * 0.08 / CALLS_AT_ONCE);
    double cpu = loops ? Math.max(LEAST_CPU, counters * 2 * CPU_OF_A_CALL / seconds) : 1;
    return new Offer(
        loops
            ? "a loop that calls `"
                + call(load)
                + "` each "
                + (seconds == 1 ? "second" : seconds + " seconds")
            : "a function that calls `" + call(load) + "` each minute",
        "yours to write; totals are up to " + (loops ? seconds + " s" : "a minute") + " old",
        List.of(
            writes(load, increments(load)),
            line("its list and sums", Item.READ, rounds * counters * (1 + readsOfASum(load))),
            line("its writes", Item.WRITE, rounds * counters),
            line(
                "its vCPU-seconds",
                Item.VCPU_SECOND,
                alive * cpu,
                Item.GIB_SECOND,
                alive * (loops ? LEAST_GIB : MEMORY_GIB)),
            line("Cloud Scheduler: jobs", Item.SCHEDULER_JOB, JOBS),
            line(
                "listeners: a read each change",
                Item.READ,
                rounds * counters * changed * load.listeners()),
            line("views: a read each", Item.READ, allViews(load))));
  }

  /**
   * A function of one's own that adds one to a field at each create, and takes one off at each
   * delete: an event, a slot of the smallest instance that runs Node, and a write for each.
   */
  static Offer addEach(Load load) {
    double events = increments(load);
    return new Offer(
        "a function that adds 1 at each create",
        "yours to write; an event that comes twice is counted twice"
            + (load.rate() > 1 ? "; a document takes about one write a second, so this fails" : ""),
        List.of(
            writes(load, events),
            line(
                "events: bytes by Pub/Sub, in and out",
                Item.PUBSUB_BYTE,
                BOTH_WAYS * events * EVENT_BYTES),
            line("its requests", Item.REQUEST, events),
            line(
                "its vCPU-seconds",
                Item.VCPU_SECOND,
                events * Month.SLOT * LEAST_CPU,
                Item.GIB_SECOND,
                events * Month.SLOT * LEAST_GIB),
            line("its writes", Item.WRITE, events),
            line("listeners: a read each change", Item.READ, events * load.listeners()),
            line("views: a read each", Item.READ, allViews(load))));
  }

  /**
   * The Firebase extension firestore-counter 0.2.15, by its code, not measured. After each
   * increment a function works for some seconds to a minute. Each of its rounds takes 0.12 s and
   * costs, for n shards, 2n + 3 reads, n deletes, and a write for each counter and one more. A
   * round after a pause costs more.
   */
  static Offer extension(Load load) {
    double rate = load.rate();
    int counters = load.counters();
    double all = rate * counters;
    double rounds = (1 - StrictMath.exp(-ROUND * all)) / ROUND;
    double each = all / rounds;
    double differing = counters * (1 - StrictMath.exp(-ROUND * rate)) / (ROUND * rounds);
    double pauses = StrictMath.exp(-PAUSE * all);
    double busy = 1 - StrictMath.exp(-STAY * all);
    double changes = counters * (1 - StrictMath.exp(-ROUND * rate)) / ROUND * Month.SECONDS;
    double slots = increments(load) + busy * Month.SECONDS * SLOTS;
    return new Offer(
        "Firebase extension 0.2.15",
        "until 31 March 2027; by its code, not measured",
        List.of(
            writes(load, increments(load)),
            line("its function: requests", Item.REQUEST, increments(load)),
            line("its function: 100 ms of 256 MB", Item.FIRST_GENERATION_SLOT, slots),
            line(
                "its function: reads",
                Item.READ,
                increments(load) * (2 + 3 / each + FIRST_READS * pauses)),
            line(
                "its function: writes, and deletes",
                Item.WRITE,
                increments(load) * ((1 + differing) / each + FIRST_WRITES * pauses),
                Item.DELETE,
                increments(load)),
            line("listeners: a read each change", Item.READ, changes * load.listeners()),
            line("views: a read each", Item.READ, allViews(load))));
  }
}
