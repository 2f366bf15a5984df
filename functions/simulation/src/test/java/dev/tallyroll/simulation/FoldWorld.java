package dev.tallyroll.simulation;

import dev.tallyroll.runs.Timing;
import dev.tallyroll.settings.FoldLayout.ShardPath;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A deployment with FOLD in one thread: clients that write shards as those of the extension do, the
 * extension itself in some worlds, and the functions. All choices are drawn from one seed.
 */
final class FoldWorld implements Seeds.Play {
  private static final int WORKERS = 2;
  private static final int FEW_WRITES = 8;

  /** One that clients may not write; below a folded one there may be such, too. */
  private static final List<String> FORGED = List.of("admins/eve", "pages/0/_counter_shards_/0");

  private static final String COUNTER = "pages/counter";
  private static final int MANY_WRITES = 60;
  private static final List<List<String>> FIELDS =
      List.of(List.of("visits"), List.of("stats", "likes"), List.of("stats", "time"));
  private static final List<List<String>> SOME = FIELDS.subList(0, 2);

  /** Two of them are more than a page of shards holds. */
  private static final String LONG_TEXT = "x".repeat(300_000);

  /** Numbers that few clicks take beyond what their field can hold. */
  private static final List<Number> ENDS =
      List.of(Long.MAX_VALUE - 7, Long.MIN_VALUE + 3, 0x1p53 - 5, 5 - 0x1p53, 1L << 62);

  private static final List<Number> LARGE = List.of(1L << 61, -(1L << 61), 1e308, -1e15);

  private static final Duration LATENESS = Duration.ofMillis(100);

  private static final Duration FAULTY = Duration.ofSeconds(60);
  private static final Duration UNTIL_QUIET = Duration.ofHours(26);

  /** RollUp looks at many shards that stay once a minute, and its second look finds no others. */
  private static final Duration UNTIL_SETTLED = Duration.ofMinutes(3);

  /** The time of so many calls, one after another, and of a message. */
  private static final int CALLS = 10;

  private static final Duration MESSAGE = Duration.ofMillis(500);

  private final Faults faults;
  private final Random random;
  private final World world;
  private final Folds folds;
  private final Deliveries<ShardPath> deliveries;
  private final FoldRollers rollers;
  private final List<String> documents;
  private final List<List<String>> wanted;
  private final boolean losing;
  private final boolean extended;
  private final boolean filled;
  private boolean blocked;

  /** Whether a document's field has a number near the end of its range. */
  private final boolean isNearEnd;

  /** The documents that clients have written since. */
  private final Set<String> begun = new HashSet<>();

  private int working;
  private int shards;

  FoldWorld(long seed) {
    faults = new Faults(seed, Faults.Level.of(seed));
    random = faults.random;
    faults.leg = Duration.ofMillis(random.nextInt(36));
    Duration tick = Duration.ofMillis(250L << random.nextInt(4));
    Duration lease = tick.multipliedBy(2 + random.nextInt(4));
    Timing timing = new Timing(tick, lease, Duration.ofSeconds(1), burst());
    world = new World(faults, timing, World.settings(timing, WORKERS), this::clockError);
    world.server.readsAtOldTimes = random.nextBoolean();
    documents =
        IntStream.rangeClosed(0, random.nextInt(3)).mapToObj(number -> "pages/" + number).toList();
    wanted = random.nextInt(4) == 0 ? SOME : List.of();
    folds = new Folds(world, wanted);
    losing = random.nextInt(5) == 0;
    extended = random.nextInt(3) == 0;
    rollers = new FoldRollers(world, folds, wanted);
    rollers.everyMinute();
    isNearEnd = !extended && isOfNumbersNearTheirEnd(seed);
    deliveries = new Deliveries<>(world, this::handler, losing);
    filled = fill(documents.get(0));
    folds.onCreation((shard, at) -> deliveries.publish(shard));
  }

  /** One of eight seeds in a row, with some faults. */
  private static boolean isOfNumbersNearTheirEnd(long seed) {
    return seed % 8 == 5;
  }

  /** With one, each event makes an entry; with many, nearly all are folded at once. */
  private int burst() {
    return random.nextInt(4) == 0 ? 1 : 2 + random.nextInt(20);
  }

  /** Shards that were there before the functions were, so that they made no events. */
  private boolean fill(String document) {
    int shards = random.nextInt(80) == 0 ? 500 + random.nextInt(700) : 0;
    for (int i = 0; i < shards; i++) {
      folds.increment(document, "before-" + i, Map.of(FIELDS.get(0), 1L));
    }
    folds.waiting.clear();
    return shards > 0;
  }

  private Duration clockError() {
    return Duration.ofMillis((long) ((random.nextDouble() - 0.5) * 86_400_000));
  }

  private Function<ShardPath, CompletableFuture<Void>> handler(World.Instance on) {
    return rollers.handler(on)::written;
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public String features() {
    return "faults: %s, %s, %d documents, fields %s, lost events: %s, the extension: %s, %s"
        .formatted(
            faults.level,
            world.timing,
            documents.size(),
            wanted.isEmpty() ? "all" : wanted,
            losing,
            extended,
            "shards from before: %s, numbers near their end: %s".formatted(filled, isNearEnd));
  }

  /** Plays the world, then ends the faults and waits until no work is left. */
  @Override
  public void play() {
    if (extended) {
      new Extension(world, folds, documents).work(60);
    } else if (isNearEnd) {
      startNearEnds();
    } else {
      block();
    }
    // Only later commits become visible late.
    faults.lateness = random.nextInt(3) == 0 ? LATENESS : Duration.ZERO;
    boolean forges = random.nextInt(3) == 0;
    if (forges) {
      FORGED.forEach(this::forge);
      folds.increment(COUNTER, "client", Map.of(FIELDS.get(0), 1L));
      world.time.after(faults.upTo(FAULTY), () -> folds.addShardedCounter(COUNTER));
    }
    for (String document : documents) {
      work(document, 1 + random.nextInt(random.nextBoolean() ? FEW_WRITES : MANY_WRITES));
      if (random.nextInt(3) == 0) {
        putBad(document);
      }
      if (faults.happens(Kind.LARGE_SHARDS, 0.1)) {
        putLarge(document, 2 + random.nextInt(4));
      }
    }
    world.time.pass(FAULTY);
    if (faults.counts.isEmpty() && !filled && !blocked && !isNearEnd && wanted.isEmpty()) {
      checkFresh();
    }
    faults.switchOff();
    world.time.run(UNTIL_QUIET, () -> working == 0 && deliveries.pending() == 0);
    settle();
    documents.forEach(this::checkPromise);
    sweepAll();
    documents.forEach(folds::checkAllMoved);

    // The next scheduled run takes the place of one that has crashed.
    world.time.pass(Duration.ofMinutes(1));
    folds.maxLag = Duration.ZERO;
    documents.forEach(each -> work(each, 1 + random.nextInt(3 * FEW_WRITES)));
    world.time.run(UNTIL_QUIET, () -> working == 0 && deliveries.pending() == 0);
    settle();
    if (wanted.isEmpty() && !blocked && !isNearEnd) {
      checkFresh();
    } else {
      sweepAll();
    }
    documents.forEach(folds::checkAllMoved);
    if (forges) {
      FORGED.forEach(document -> folds.checkUntouched(document, Map.of(), FEW_WRITES));
      folds.checkUntouched(COUNTER, Map.of("num_shards", 2L, "visits", 1L), 2);
    }
  }

  /** A hostile client writes shards where it may, to make the functions write what it may not. */
  private void forge(String document) {
    for (int i = 0; i < FEW_WRITES; i++) {
      String shard = "forged-" + i;
      world.time.after(faults.upTo(FAULTY), () -> folds.put(document, shard, Map.of("visits", 1L)));
    }
  }

  /**
   * Once all events of a document are acknowledged, its shards are moved, or its entry stands. Only
   * a sweep makes up for lost events, for a field that was no number when they came, for shards
   * that were there before, and for later increments on a shard that keeps other values.
   */
  private void checkPromise(String document) {
    if (!losing
        && !filled
        && !blocked
        && !isNearEnd
        && wanted.isEmpty()
        && !deliveries.isPending(shard -> shard.document().equals(document))
        && !folds.live().contains(Folds.entry(document))) {
      folds.checkAllMoved(document);
    }
  }

  /** Clients subtract, too, and add large numbers: what does not fit must wait until it does. */
  private void startNearEnds() {
    for (String document : documents) {
      folds.start(document, "visits", ENDS.get(random.nextInt(ENDS.size())));
      for (int i = random.nextInt(4); i > 0; i--) {
        Number delta = LARGE.get(random.nextInt(LARGE.size()));
        String shard = "large-" + i;
        world.time.after(
            faults.upTo(FAULTY), () -> folds.put(document, shard, Map.of("visits", delta)));
      }
    }
  }

  /** The app has something else in the place of a number, for a while or for ever. */
  private void block() {
    for (String document : documents) {
      String field = random.nextBoolean() ? "visits" : "stats";
      switch (random.nextInt(7)) {
        case 0 -> folds.set(document, "title", "Hello");
        case 1 -> {
          blocked = true;
          folds.set(document, field, "many");
        }
        case 2 -> {
          blocked = true;
          folds.set(document, field, "many");
          world.time.after(faults.upTo(FAULTY), () -> mend(document, field));
        }
        case 3 -> {
          blocked = true;
          folds.fill(document, FIELDS.get(2));
        }
        default -> {}
      }
    }
  }

  private void mend(String document, String field) {
    folds.set(document, field, field.equals("visits") ? 0L : Map.of());
  }

  private void putBad(String document) {
    Map<String, Object> fields = new HashMap<>();
    fields.put("text", "1");
    fields.put("list", List.of(1L));
    fields.put("stats", Map.of("likes", 2L, "broken", Double.NaN));
    if (random.nextBoolean()) {
      fields.put("visits", 1L);
    }
    world.time.after(faults.upTo(FAULTY), () -> folds.put(document, "bad", fields));
  }

  /** Puts shards with a long text among those of clients. */
  private void putLarge(String document, int shards) {
    Map<String, Object> fields = Map.of("text", LONG_TEXT, "visits", 1L);
    Duration at = faults.upTo(FAULTY);
    for (int i = 0; i < shards; i++) {
      String shard = "client-" + i + "-long";
      world.time.after(at, () -> folds.put(document, shard, fields));
    }
  }

  /** Makes so many increments, in bursts and quiet times, on few shards or each on a new one. */
  private void work(String document, int increments) {
    working++;
    goOn(document, increments, 1 + random.nextInt(20));
  }

  private void goOn(String document, int increments, int others) {
    if (increments == 0) {
      working--;
      return;
    }
    Timing timing = world.timing;
    Duration pause =
        switch (random.nextInt(8)) {
          case 0 -> timing.lease().plus(timing.tick()).plus(faults.upTo(timing.lease()));
          case 1, 2, 3 -> faults.upTo(Duration.ofMillis(20));
          default -> faults.upTo(Duration.ofMillis(400));
        };
    world.time.after(
        pause,
        () -> {
          if (begun.contains(document)) {
            checkPromise(document);
          }
          begun.add(document);
          int shard = random.nextInt(others);
          String id = "client-" + (shard > 9 ? 10 + shards++ : shard);
          Map<List<String>, Number> deltas = new HashMap<>();
          deltas.put(FIELDS.get(0), random.nextInt(4) == 0 ? -1L : 1L);
          if (random.nextBoolean()) {
            deltas.remove(FIELDS.get(random.nextInt(2)));
            deltas.put(FIELDS.get(1 + random.nextInt(2)), random.nextBoolean() ? 1L : 0.5);
          }
          folds.increment(document, id, deltas);
          goOn(document, increments - 1, others);
        });
  }

  /** Waits until no run is alive and no call is under way. */
  private void settle() {
    world.time.run(UNTIL_SETTLED, this::isQuiet);
    if (!isQuiet()) {
      throw new AssertionError(
          "expected quiet; found live %s, %d runs, %d events"
              .formatted(folds.live(), rollers.running, deliveries.pending()));
    }
  }

  private boolean isQuiet() {
    return working == 0
        && deliveries.pending() == 0
        && rollers.running == 0
        && world.underWay == 0
        && folds.live().isEmpty();
  }

  /** If one sweep subtracts, the next one has room to add. */
  private void sweepAll() {
    for (int i = isNearEnd ? 3 : 1; i > 0; i--) {
      sweep();
    }
  }

  private void sweep() {
    rollers.sweep();
    settle();
  }

  /**
   * Without faults, an increment is in its field within two ticks and the time for messages and
   * calls, unless its shard is written while it is moved: then that time begins anew.
   */
  private void checkFresh() {
    Duration call = faults.leg.plusMillis(6).multipliedBy(2);
    Duration most =
        world.timing.tick().multipliedBy(2).plus(call.multipliedBy(CALLS)).plus(MESSAGE);
    if (folds.maxLag.compareTo(most) > 0) {
      throw new AssertionError(
          "an increment was in its field only after %s; expected %s".formatted(folds.maxLag, most));
    }
  }
}
