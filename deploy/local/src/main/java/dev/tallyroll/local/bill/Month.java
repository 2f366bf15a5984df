package dev.tallyroll.local.bill;

import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.time.Duration;

/**
 * The billed amounts of 30 days, by a formula. Increments come at random, r a second of each
 * counter, so the number in t seconds has a Poisson distribution with the mean r t. {@link
 * #events}, {@link #polls} and {@link #folded} are the ways. The main sentences:
 *
 * <ul>
 *   <li>Each event of a quiet counter costs a sum and a write. A live counter costs a sum each
 *       period p, which {@code every} says, and a write in 1 - exp(-r p) of the periods.
 *   <li>RollUp renews a lease at tick k, the first at which less than half of it is left, if each
 *       of these k ticks had an increment: q = (1 - exp(-r p))^k of all leases. So a live phase
 *       lasts for k p q / (1 - q), and a LEASE.
 *   <li>The pause before the next phase: BURST writes must come within a LEASE. With P for the
 *       distribution with the mean r LEASE, that takes 1/r + P(less than BURST)^2 (LEASE + 1 / (r
 *       P(BURST - 1))).
 *   <li>Instances are billed in slots of s = 0.1 s. An event takes d seconds: 72 ms of a quiet
 *       counter, which are two calls, and 1 ms of a live one. With e events a second, an instance
 *       is idle for 1/e seconds, then at work for s exp(e d), since another slot follows if an
 *       event comes in the last d seconds of a slot.
 *   <li>A held total is written {@code hold} and half a period after the last one, or when {@code
 *       precision} of a million has come.
 * </ul>
 *
 * @param increments writes of shards, and deletes of documents that are shards
 * @param events each is a request to OnShardWritten
 * @param messages to RollUp
 * @param sums sums of a counter's shards; each is billed as a read for each 1,000 shards
 * @param reads documents read by get or query
 * @param shown writes of totals, each of which every listener reads
 * @param handler billed seconds of OnShardWritten's instances
 * @param roller billed seconds of RollUp's instances
 * @param lag about the longest time in seconds that a total is behind its shards
 */
record Month(
    double increments,
    double events,
    double messages,
    double sums,
    double reads,
    double writes,
    double deletes,
    double shown,
    double handler,
    double roller,
    double lag) {
  static final double SECONDS = 30 * 24 * 60 * 60;
  static final double MINUTES = SECONDS / 60;
  private static final double HOURS = MINUTES / 60;

  /** The seconds of an event from the commit to the function. */
  static final double DELAY = 0.05;

  /** A call of Firestore. */
  static final double CALL = 0.036;

  /** A run between long ticks looks three seconds after a minute whether it was taken over. */
  private static final double CHECKED = 3;

  /** A run of one tick: eight calls, one after the other. */
  private static final double ONE_TICK = 0.3;

  /** A scheduled run that finds large counters only: it ends at the second look after its sums. */
  private static final double OF_LARGE = 2;

  /** In minutes. */
  private static final double REST_OF_A_LARGE_LEASE = 1.5;

  /** An event of a live counter. */
  private static final double NO_CALL = 0.001;

  /** An event of a quiet counter uses a vCPU for so many seconds. */
  private static final double CPU_OF_A_QUIET_EVENT = 0.02;

  /** From a shard's creation until OnShardWritten has moved it. */
  private static final double HANDLED = 0.13;

  /** The unit in which instances are billed. */
  static final double SLOT = 0.1;

  /** The totals: what a precision lets through depends on them. */
  private static final double TOTAL = 1_000_000;

  /** Longer than any month. */
  private static final double FOR_EVER = 1e9;

  private static final double LATEST_COMMIT = seconds(Timing.LONGEST_CALL);

  /** Counters that a worker sums in a second. */
  private static final double SUMMED_A_SECOND = 1_100;

  /**
   * A new counter: the event creates the roll-up and an entry, and the next run settles it. With
   * fields, both read the counter's own document.
   */
  private static final int WRITES_OF_A_NEW = 3;

  static Month of(Load load) {
    if (load.folds()) {
      return folded(load);
    }
    if (load.poll().isPresent()) {
      return polls(load);
    }
    return load.isLarge() ? large(load) : events(load);
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  /** The probability of less than this number, if the mean is expected. */
  private static double poissonBelow(int number, double mean) {
    double sum = 0;
    for (int i = 0; i < number; i++) {
      sum += poisson(i, mean);
    }
    return Math.min(1, sum);
  }

  private static double poisson(int number, double mean) {
    double power = number * StrictMath.log(mean) - mean;
    for (int i = 2; i <= number; i++) {
      power -= StrictMath.log(i);
    }
    return StrictMath.exp(power);
  }

  /** The probability that something comes in this time. */
  private static double chanceOfAny(double rate, double seconds) {
    return -StrictMath.expm1(-rate * seconds);
  }

  /** The odds, with which something happens so many times on average before it does not. */
  private static double odds(double probability) {
    return Math.min(FOR_EVER, probability / (1 - probability));
  }

  /** A phase in which RollUp sums a counter at each tick, and a pause before the next one. */
  private record LivePhase(double phase, double pause) {
    double live() {
      return phase / (phase + pause);
    }

    double quiet() {
      return 1 - live();
    }

    double aMonth() {
      return SECONDS / (phase + pause);
    }

    /** The part of the time in which RollUp works, so much longer than the phase. */
    double works(double longer) {
      return (phase + Math.min(pause, longer)) / (phase + pause);
    }

    /** Whether a phase began in the last seconds. */
    double began(double seconds) {
      return chanceOfAny(1 / (phase + pause), seconds);
    }
  }

  /** What the settings mean in seconds. */
  private record Times(
      double tick,
      double lease,
      double slack,
      int burst,
      double hold,
      double part,
      boolean isLeftToSchedule) {
    static Times of(Load load) {
      Timing timing = load.timing();
      return new Times(
          seconds(timing.tick()),
          seconds(timing.lease()),
          seconds(timing.slack()),
          timing.burst(),
          seconds(timing.hold()),
          timing.precision(),
          timing.isLeftToSchedule());
    }

    /** How long a new lease is. */
    double leaseLength() {
      return hold == 0 ? lease : Math.max(lease, 2 * (hold + 2 * tick));
    }

    /** From one write of a total to the next, if RollUp sums the counter each so many seconds. */
    double betweenWrites(double rate, double every) {
      double change = every / chanceOfAny(rate, every);
      return hold == 0 ? change : Math.max(change, Math.min(hold, part * TOTAL / rate) + every / 2);
    }

    /** An event may wait for the handling of the one before; a live counter, for a tick. */
    double lag(LivePhase cycle) {
      return cycle.live() * SECONDS < 1 ? DELAY + 4 * CALL : hold + tick + CALL;
    }
  }

  /**
   * RollUp's runs: what they cost, whatever they do for each counter. Each minute the next run
   * takes over: one and a half looks together, 6 reads and 4 writes. A run for new counters alone
   * costs as much, but for two writes.
   */
  private record RunCosts(double messages, double seconds, double reads, double writes) {

    /**
     * @param works the part of the time in which a run is at work for one counter
     * @param wakes messages beside those of the schedule
     * @param found how many counters became live of late
     */
    static RunCosts of(Load load, double works, double wakes, double found) {
      double look = Month.seconds(load.runs().look());
      int workers = load.runs().workers();
      double busy = Math.min(workers, load.totals());
      double each = load.totals() / busy;
      double alive = busy * (1 - StrictMath.pow(1 - Math.min(1, works), each));
      double begun = chanceOfAny(load.firstsAMonth() / SECONDS / workers, 60);
      double more = Math.max(0, workers - alive) * begun * MINUTES;
      double messages = workers * MINUTES + HOURS + wakes;
      if (Times.of(load).isLeftToSchedule()) {
        double runs = alive * MINUTES + more;
        return new RunCosts(
            messages,
            runs * ONE_TICK + messages * SLOT,
            workers * MINUTES + 4 * runs + 3 * wakes,
            2 * runs + wakes);
      }
      double takeovers = alive * MINUTES;
      double ending = Math.min(1.5 * look, CHECKED);
      return new RunCosts(
          messages,
          alive * SECONDS + (takeovers * ending) + more * 1.5 * look + messages * SLOT,
          workers * MINUTES
              + alive * SECONDS * (1 / look + Math.max(1, found) / look)
              + 6 * (takeovers + more)
              + 3 * wakes,
          4 * takeovers + 2 * more + wakes);
    }
  }

  /** The billed seconds of OnShardWritten, if this part of the events is of quiet counters. */
  private static double handler(Load load, double events, double quiet) {
    double took = took(load, quiet);
    int instances = instances(load, events / SECONDS, took);
    double each = events / SECONDS / instances;
    double slots = Math.ceil(took / SLOT);
    double work = each * slots * SLOT * StrictMath.exp(Math.min(50, each * took));
    return instances * SECONDS * work / (1 + work);
  }

  /** An event's mean time, if this part of the events is of quiet counters. */
  private static double took(Load load, double quiet) {
    double computed = NO_CALL + CPU_OF_A_QUIET_EVENT * quiet;
    double read = CALL * load.shards().deletes() * (1 - quiet);
    return NO_CALL + 2 * CALL * quiet + read + computed * (1 / load.handlerCpus() - 1);
  }

  /** The instances of OnShardWritten; below one vCPU, one handles one event at a time. */
  private static int instances(Load load, double aSecond, double took) {
    return load.handlerCpus() < 1 ? (int) Math.max(1, Math.ceil(aSecond * took)) : load.instances();
  }

  /** How long a quiet counter stays quiet after the first write. */
  private static double pause(Load load, Times times) {
    double took = took(load, /* quiet= */ 1);
    double rate = load.commits();
    double seen = rate;
    double contended = 0;
    if (load.handlerCpus() < 1) {
      seen = rate / instances(load, rate * load.totals(), took);
      // Twice in one cycle, another instance is faster between the sum and the write.
      contended = rate * StrictMath.pow(chanceOfAny(rate, took / 2), 2);
    }
    double mean = seen * times.lease;
    double calm = poissonBelow(times.burst, mean);
    double last = Math.max(poisson(times.burst - 1, mean), Double.MIN_NORMAL);
    double burst = calm * calm * (times.lease + 1 / (seen * last));
    return 1 / (1 / burst + contended);
  }

  /**
   * Reads a second of a live counter's roll-up, which cover its deletes: those that come to an
   * instance during a call share the next one.
   */
  private static double coverDeletes(Load load) {
    double each = load.commits() * load.shards().deletes() / load.instances();
    return each == 0 ? 0 : load.instances() / (CALL + StrictMath.exp(-each * CALL) / each);
  }

  private static double sweeps(Load load) {
    return HOURS
        * Math.min(load.all(), load.runs().looks((long) (2 * load.all()), /* sharers= */ 1) / 2.0);
  }

  /** Each event of a quiet counter costs a sum and a write; a live one, a sum each period. */
  private static Month events(Load load) {
    Times times = Times.of(load);
    double rate = load.commits();
    double lease = times.leaseLength();
    double ticks = Math.floor(lease / 2 / times.tick) + 1;
    double renewed = StrictMath.pow(chanceOfAny(rate, times.tick), ticks);
    LivePhase cycle =
        new LivePhase(ticks * times.tick * odds(renewed) + lease, 1 / rate + pause(load, times));
    double wakes = load.totals() * cycle.aMonth();
    double found = load.totals() * cycle.began(LATEST_COMMIT + times.slack);
    RunCosts runs = RunCosts.of(load, cycle.works(times.slack + times.tick / 2), wakes, found);

    double firsts = load.firstsAMonth();
    double increments = rate * load.totals() * SECONDS;
    double counted = increments + firsts;
    double unmatched = load.unmatched() * SECONDS;
    double handled = increments * cycle.quiet();
    double live = load.totals() * cycle.live();
    double takeovers = times.isLeftToSchedule() ? 0 : live * MINUTES;
    double shown =
        handled
            + live * SECONDS / times.betweenWrites(rate, times.tick)
            + (times.hold == 0 ? 2 * takeovers : 0);
    double written = load.written(counted);
    return new Month(
        written,
        written,
        runs.messages,
        handled + live * SECONDS / times.tick + 4 * takeovers + 2 * firsts + sweeps(load),
        runs.reads
            + SECONDS * load.instances() / (60 + load.instances() / (rate * load.totals()))
            + live * SECONDS * load.instances() / (ticks * times.tick + load.instances() / rate)
            + live * SECONDS * coverDeletes(load)
            + (times.isLeftToSchedule() ? live * MINUTES : 3 * takeovers)
            + (load.writesFields() ? 5 : 3) * firsts
            + 3 * sweeps(load),
        runs.writes + shown + WRITES_OF_A_NEW * firsts,
        /* deletes= */ firsts,
        shown,
        handler(load, counted + unmatched, (handled + firsts) / (counted + unmatched)),
        runs.seconds,
        times.lag(cycle));
  }

  /**
   * A large counter's first event after a quiet minute costs a sum and a write. If another comes in
   * the minute after it, in q = 1 - exp(-60 r) of all cases, that costs a read and a lease, and
   * each minute a scheduled run makes a sum: until a minute has no event, and then for the rest of
   * the lease, another minute and a half.
   */
  private static Month large(Load load) {
    double rate = load.commits();
    double another = chanceOfAny(rate, 60);
    double runs = another * (odds(another) + 1 + REST_OF_A_LARGE_LEASE);
    double cycles = load.totals() * SECONDS / (1 / rate + 60 * runs);
    double firsts = load.firstsAMonth();
    double increments = rate * load.totals() * SECONDS;
    double unmatched = load.unmatched() * SECONDS;
    double counted = increments + firsts;
    double live = Math.min(1, cycles * runs / load.totals() / MINUTES); // the part of the time
    double minutes = MINUTES * (1 - StrictMath.pow(1 - live, load.totals()));
    double messages = load.runs().workers() * MINUTES + HOURS;
    double shown = cycles * (1 + another * odds(another));
    double summed = cycles * (1 + runs);
    double written = load.written(counted);
    return new Month(
        written,
        written,
        messages,
        summed + 2 * firsts + sweeps(load),
        messages
            + 5 * minutes
            + cycles * (1 + runs)
            + load.totals() * live * SECONDS * coverDeletes(load)
            + (load.writesFields() ? 5 : 3) * firsts
            + 3 * sweeps(load),
        2 * minutes + cycles * 2 * another + shown + WRITES_OF_A_NEW * firsts,
        /* deletes= */ firsts,
        shown,
        handler(load, counted + unmatched, Math.min(1, (cycles + firsts) / (counted + unmatched))),
        minutes * OF_LARGE + messages * SLOT,
        60 + CALL);
  }

  /**
   * Each poll costs, for each counter, a sum, and a write if it has changed, or else a read of its
   * roll-up, which may have been changed by others. Each minute costs a read of each counter's
   * place in the list. A poll looks at no more than so many, and the next goes on there. The calls
   * for one counter follow each other, those for many go side by side. At a period of a minute,
   * RollUp works for that time only, below it without pause.
   */
  private static Month polls(Load load) {
    Times times = Times.of(load);
    double rate = load.commits();
    RunSettings settings = load.runs();
    double workers = settings.workers();
    boolean pauses = times.isLeftToSchedule();
    double looks = Math.min(load.all(), settings.looks());
    double run = 4 * CALL + looks / SUMMED_A_SECOND / workers;
    double pace = Math.max(times.tick, run);
    double every = pace * load.all() / looks;
    double polls = looks * MINUTES * (60 / pace + (pauses ? 0 : 1));
    double shown = load.totals() * SECONDS / times.betweenWrites(rate, every);
    double messages = workers * MINUTES + HOURS;
    double alive = Math.min(workers, load.all()) * (pauses ? 0 : 1);
    double takeovers = alive * MINUTES;
    double firsts = load.firstsAMonth();
    return new Month(
        load.written(rate * load.totals() * SECONDS + firsts),
        /* events= */ 0,
        messages,
        polls + sweeps(load),
        3 * workers * MINUTES
            + alive * SECONDS / pace
            + 3 * takeovers
            + workers * looks * MINUTES
            + (polls - shown)
            + (load.writesFields() ? firsts : 0)
            + 3 * sweeps(load),
        4 * takeovers + shown + firsts,
        /* deletes= */ 0,
        shown,
        /* handler= */ 0,
        pauses
            ? workers * MINUTES * Math.ceil(run / SLOT) * SLOT + HOURS * SLOT
            : alive * SECONDS + takeovers * Math.min(1.5 * pace, CHECKED) + messages * SLOT,
        times.hold + every + run);
  }

  /** Batches that move a document's shards: how many RollUp tries, how many Firestore takes. */
  private record Batches(double tried, double taken, double readsOfAShard) {
    private static final double MOST_SHARDS = 200;
    private static final double MOST_TRIED = 25;

    static Batches of(double shards, double rateOfAShard) {
      double size = Math.min(MOST_SHARDS, shards);
      double parts = shards / size;
      double tried = 0;
      double taken = 0;
      double reads = 0;
      for (double reached = 1; reads == 0 || size >= 1; size /= 2, parts *= 2) {
        double refused = chanceOfAny(size * rateOfAShard, CALL);
        tried += parts * reached;
        taken += parts * reached * (1 - refused);
        reads += reached;
        reached *= refused;
      }
      return new Batches(tried, taken, reads);
    }

    /** The part of all shards that one fold moves. */
    double part() {
      return Math.min(1, MOST_TRIED / tried);
    }

    /** From one fold to the next. */
    double seconds(double tick) {
      return Math.max(tick, Math.min(tried, MOST_TRIED) * 2 * CALL + tick / 2);
    }
  }

  /**
   * With FOLD, n clients have a shard each, as many as increments a second, or as {@code shards}.
   *
   * <ol>
   *   <li>An increment of a client without a shard makes one: an event, and later a delete. An
   *       event of a quiet document costs a read, a write and the delete; until it is handled, for
   *       0.13 s, its client makes no other. An instance reads the document once a minute.
   *   <li>At a tick, RollUp finds n (1 - exp(-r FOLD / n)) shards of a live document and moves them
   *       in batches of 200, with a write each. If a shard is written during a batch's call,
   *       Firestore refuses it, and each half is read and tried again, up to 25 batches of two
   *       calls. If they take longer than a tick, the next fold begins half a tick later.
   *   <li>A document becomes live if BURST events come within a LEASE, which begins with an event;
   *       or if the shard of an event is written during its call. After half of a LEASE, an event
   *       renews its lease if that had half of BURST events. RollUp works until a tick finds no
   *       shard, a period and SLACK after the lease.
   * </ol>
   */
  private static Month folded(Load load) {
    Times times = Times.of(load);
    double rate = load.commits();
    double clients = Math.max(load.shards().number(), Math.ceil(rate));
    double ofAClient = rate / clients;
    double events = clients * chanceOfAny(ofAClient, HANDLED) / HANDLED;
    double burst = 1 - poissonBelow(times.burst - 1, events * times.lease);
    double toBurst =
        (times.lease + 1 / events) * Math.min(FOR_EVER, 1 / burst - 1)
            + Math.min(times.lease, times.burst / events);
    double shards = clients * chanceOfAny(ofAClient, times.tick);
    Batches batches = Batches.of(shards, ofAClient);
    double part = batches.part() / batches.seconds(times.tick);
    double moved = shards * part;
    double renewed = 1 - poissonBelow((times.burst + 1) / 2, moved * times.lease);
    double renewal = times.lease / 2 + 1 / moved;
    LivePhase cycle =
        new LivePhase(
            renewal * odds(renewed) + times.lease,
            1 / (1 / toBurst + events * chanceOfAny(ofAClient, CALL)));
    double empty = StrictMath.exp(-rate * times.tick);
    double wakes = load.totals() * cycle.aMonth();
    double quiet = load.totals() * cycle.quiet() * SECONDS;
    double live = load.totals() * cycle.live() * SECONDS;
    double renewals = live * renewed / renewal;
    double found =
        load.totals()
            * chanceOfAny(
                (wakes + renewals) / load.totals() / SECONDS, LATEST_COMMIT + times.slack);
    RunCosts runs =
        RunCosts.of(load, cycle.works(times.slack + times.tick + times.tick / empty), wakes, found);

    double created = quiet * events + live * moved;
    double shown = quiet * events + live * batches.taken * part * (1 - empty);
    return new Month(
        rate * load.totals() * SECONDS,
        created,
        runs.messages,
        /* sums= */ 0,
        runs.reads
            + quiet * (events + 1 / (60 + 1 / events))
            + live * (moved * batches.readsOfAShard + empty / times.tick + 1.0 / 60),
        runs.writes + shown + renewals,
        created,
        shown,
        handler(load, created, cycle.quiet()),
        runs.seconds,
        times.lag(cycle));
  }
}
