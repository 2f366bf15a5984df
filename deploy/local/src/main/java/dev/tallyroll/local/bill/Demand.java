package dev.tallyroll.local.bill;

import static dev.tallyroll.local.bill.Offer.line;

import dev.tallyroll.local.bill.Offer.Line;
import dev.tallyroll.local.bill.Prices.Item;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.simulation.FoldPace;
import dev.tallyroll.simulation.Pace;
import dev.tallyroll.simulation.Pace.Usage;
import java.util.ArrayList;
import java.util.List;

/**
 * The increments and reads to do, and the bill of each way to do them.
 *
 * @param rate increments a second of each counter
 * @param shards of each counter
 * @param listeners listeners of each counter, which listen all the time
 * @param views views of each counter in a second; a view reads one total once
 * @param polled whether the counters are in a collection that no trigger watches
 * @param servers so many servers count all increments, and buffer them; 0 for clients that do not
 */
record Demand(
    double rate,
    int counters,
    int shards,
    int listeners,
    double views,
    boolean polled,
    int servers) {
  static final double MONTH_SECONDS = 30 * 24 * 60 * 60;
  static final int EVENT_BYTES = 1_200;
  static final int MESSAGE_BYTES = 1_000;
  static final int REQUEST_ENTRY_BYTES = 1_000;
  static final int LINE_BYTES = 400;
  static final double MEMORY_GIB = 0.5;
  private static final int SHARDS_OF_A_READ = 1_000;
  private static final int JOBS = 1;
  private static final long SEED = 7;

  /** The extension's seconds: a round, the pause that ends a series, and its life after that. */
  private static final double ROUND = 0.12;

  private static final double PAUSE = 0.18;
  private static final double STAY = 60;

  /** The extension's further operations in the first round after a pause. */
  private static final double FIRST_READS = 3.2;

  private static final double FIRST_WRITES = 1.1;

  /** The calls of Firestore that a simple function has under way at once. */
  private static final int CALLS_AT_ONCE = 20;

  /** Slots of 100 ms in a second. */
  private static final double SLOTS = 10;

  /** Pub/Sub bills each byte twice: when it comes in, and when it goes out. */
  private static final int BOTH_WAYS = 2;

  Demand inPolledCounters() {
    return new Demand(rate, counters, shards, listeners, views, /* polled= */ true, servers);
  }

  Demand bufferedBy(int number) {
    return new Demand(rate, counters, shards, listeners, views, polled, number);
  }

  Demand listenedBy(int number) {
    return new Demand(rate, counters, shards, number, views, polled, servers);
  }

  /**
   * Commits a second of each counter. A server commits a second after the first increment that it
   * has added up, so with r increments a second each, 1 + 1/r seconds after its last commit.
   */
  double commits() {
    return servers == 0 ? rate : servers / (1 + servers / rate);
  }

  private double increments() {
    return rate * counters * MONTH_SECONDS;
  }

  private double allListeners() {
    return (double) listeners * counters;
  }

  private double allViews() {
    return views * counters * MONTH_SECONDS;
  }

  private double readsOfASum() {
    return Math.ceil((double) shards / SHARDS_OF_A_READ);
  }

  private static Line writes(double increments) {
    return line("clients: one write an increment", Item.WRITE, increments);
  }

  private Line readOfEachIncrement() {
    return line("listeners: a read each increment", Item.READ, increments() * listeners);
  }

  /** Plays the functions' code. */
  Usage play(RunSettings settings) {
    return pace(settings).month(SEED);
  }

  /**
   * The same in the extension's place.
   *
   * @param anew whether each increment is on a new shard; else there is a client for each increment
   *     of a second, with a shard of its own
   */
  Usage fold(RunSettings settings, boolean anew) {
    int clients = anew ? 0 : (int) Math.max(shards, Math.ceil(rate));
    return new FoldPace(counters, rate, clients, settings, Pace.Assumed.OF_THE_PLATFORM)
        .month(SEED);
  }

  private Pace pace(RunSettings settings) {
    return pace(settings, Pace.Assumed.OF_THE_PLATFORM);
  }

  Pace pace(RunSettings settings, Pace.Assumed assumed) {
    return new Pace(counters, commits(), polled, settings, assumed);
  }

  Offer tallyroll(Deployed deployed) {
    return tallyroll(deployed, play(deployed.settings()));
  }

  Offer tallyroll(Deployed deployed, Usage usage) {
    double requests = usage.events() + usage.messages();
    List<Line> lines = new ArrayList<>();
    lines.add(writes(usage.increments()));
    lines.add(
        line(
            "events and messages: bytes by Pub/Sub, in and out",
            Item.PUBSUB_BYTE,
            BOTH_WAYS * (usage.events() * EVENT_BYTES + usage.messages() * MESSAGE_BYTES)));
    if (deployed.byInstance()) {
      double alive = polled ? 0 : pace(deployed.settings()).instances() * MONTH_SECONDS;
      lines.add(line("RollUp: requests", Item.REQUEST, usage.messages()));
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
              "OnShardWritten: vCPU-seconds, 1 vCPU and 512 MiB",
              Item.VCPU_SECOND,
              usage.handler(),
              Item.GIB_SECOND,
              usage.handler() * MEMORY_GIB));
    }
    lines.add(
        line(
            "RollUp: vCPU-seconds, " + deployed.rollerCpu() + " vCPU and 512 MiB",
            Item.VCPU_SECOND,
            usage.roller() * deployed.rollerCpu(),
            Item.GIB_SECOND,
            usage.roller() * MEMORY_GIB));
    lines.add(
        line("roll-ups: sums and reads", Item.READ, usage.sums() * readsOfASum() + usage.reads()));
    lines.add(
        line(
            "roll-ups: writes, and deletes",
            Item.WRITE,
            usage.writes(),
            Item.DELETE,
            usage.deletes()));
    lines.add(
        line(
            "counters' own documents: a write each total",
            Item.WRITE,
            deployed.totalField() ? usage.shown() : 0));
    lines.add(
        line(
            "logs: bytes",
            Item.LOG_BYTE,
            (deployed.requestLogs() ? requests * REQUEST_ENTRY_BYTES : 0)
                + usage.lines() * LINE_BYTES));
    lines.add(line("Cloud Scheduler: jobs", Item.SCHEDULER_JOB, JOBS));
    lines.add(line("listeners: a read each change", Item.READ, usage.shown() * listeners));
    lines.add(line("views: a read each", Item.READ, allViews()));
    return new Offer("Tallyroll", "", lines);
  }

  Offer oneDocument() {
    return new Offer(
        "one document",
        rate > 1 ? "a document takes about one write a second, so this fails" : "",
        List.of(
            writes(increments()),
            readOfEachIncrement(),
            line("views: a read each", Item.READ, allViews())));
  }

  Offer allShards() {
    return new Offer(
        "reading all shards",
        "readers may read shards",
        List.of(
            writes(increments()),
            readOfEachIncrement(),
            line("views: a read each shard", Item.READ, allViews() * shards)));
  }

  Offer sumByReaders(double tick) {
    return new Offer(
        "sum() by each reader",
        "readers may read shards; listeners ask once a tick",
        List.of(
            writes(increments()),
            line(
                "listeners: a sum each tick",
                Item.READ,
                allListeners() * MONTH_SECONDS / tick * readsOfASum()),
            line("views: a sum each", Item.READ, allViews() * readsOfASum())));
  }

  /** Twenty lines of one's own: totals are up to a minute old. Of its own time, by its calls. */
  Offer sumEachMinute() {
    double minutes = MONTH_SECONDS / 60;
    double changed = 1 - StrictMath.exp(-60 * rate);
    double seconds = minutes * Math.max(0.1, counters * 0.08 / CALLS_AT_ONCE);
    return new Offer(
        "a function that calls sum() each minute",
        "yours to write; totals are up to a minute old",
        List.of(
            writes(increments()),
            line("its sums", Item.READ, minutes * counters * readsOfASum()),
            line("its writes", Item.WRITE, minutes * counters * changed),
            line(
                "its vCPU-seconds, 1 vCPU and 512 MiB",
                Item.VCPU_SECOND,
                seconds,
                Item.GIB_SECOND,
                seconds * MEMORY_GIB),
            line("Cloud Scheduler: jobs", Item.SCHEDULER_JOB, JOBS),
            line(
                "listeners: a read each change",
                Item.READ,
                minutes * counters * changed * listeners),
            line("views: a read each", Item.READ, allViews())));
  }

  /**
   * The Firebase extension firestore-counter 0.2.15, by its code, not measured. After each
   * increment a function works for some seconds to a minute. Each of its rounds takes 0.12 s and
   * costs, for n shards, 2n + 3 reads, n deletes, and a write for each counter and one more. A
   * round after a pause costs more.
   */
  Offer extension() {
    double all = rate * counters;
    double rounds = (1 - StrictMath.exp(-ROUND * all)) / ROUND;
    double each = all / rounds;
    double differing = counters * (1 - StrictMath.exp(-ROUND * rate)) / (ROUND * rounds);
    double pauses = StrictMath.exp(-PAUSE * all);
    double busy = 1 - StrictMath.exp(-STAY * all);
    double changes = counters * (1 - StrictMath.exp(-ROUND * rate)) / ROUND * MONTH_SECONDS;
    double slots = increments() + busy * MONTH_SECONDS * SLOTS;
    return new Offer(
        "Firebase extension 0.2.15",
        "until 31 March 2027; by its code, not measured",
        List.of(
            writes(increments()),
            line("its function: requests", Item.REQUEST, increments()),
            line("its function: 100 ms of 256 MB", Item.FIRST_GENERATION_SLOT, slots),
            line(
                "its function: reads",
                Item.READ,
                increments() * (2 + 3 / each + FIRST_READS * pauses)),
            line(
                "its function: writes, and deletes",
                Item.WRITE,
                increments() * ((1 + differing) / each + FIRST_WRITES * pauses),
                Item.DELETE,
                increments()),
            line("listeners: a read each change", Item.READ, changes * listeners),
            line("views: a read each", Item.READ, allViews())));
  }

  List<Offer> others(double tick) {
    return List.of(oneDocument(), allShards(), sumByReaders(tick), extension(), sumEachMinute());
  }
}
