package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.RollupStore.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;

/** Draws calls from a seed, without regard to any answer. For one thread. */
final class RandomCalls {
  static final int SHARDS = 3;
  private static final int WORKERS = 2;
  private static final int COUNTERS = 3;
  private static final int ENDS = 6;
  private static final int MOST_LANES = 35;

  /** Nested and not, with ids whose order is not that of Java's strings. */
  private static final List<CounterPath> POOL =
      List.of(
          CounterPath.of("a"),
          CounterPath.of("z"),
          CounterPath.of("\uffee"),
          CounterPath.of("\ud83d\ude00"),
          new CounterPath("rooms/r1", "a"),
          new CounterPath("rooms/r1-", "m"),
          new CounterPath("rooms/r1/floors/f1", "b"),
          new CounterPath("aisles/1", "q"));

  private static final List<Object> ODD_VALUES =
      List.of(
          Long.MAX_VALUE,
          Long.MAX_VALUE - 1,
          Long.MIN_VALUE,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY,
          0x1p63,
          "seven",
          true,
          Map.of(),
          List.of(1L));

  private final Random random;
  private final List<CounterPath> counters;

  /** A call, and its text. */
  record Call(String text, Play play) {}

  /** What a side does, and what came of it. */
  interface Play {
    String on(Side side) throws Exception;
  }

  RandomCalls(long seed) {
    random = new Random(seed);
    List<CounterPath> pool = new ArrayList<>(POOL);
    Collections.shuffle(pool, random);
    counters = List.copyOf(pool.subList(0, COUNTERS));
  }

  CounterPath counter() {
    return counters.get(random.nextInt(COUNTERS));
  }

  Call next() {
    int dice = random.nextInt(100);
    if (dice < 25) {
      return shard();
    }
    if (dice < 40) {
      return sum();
    }
    if (dice < 65) {
      return write();
    }
    return dice < 83 ? query() : run();
  }

  private Call sum() {
    CounterPath counter = counter();
    return new Call("sum " + counter, side -> side.sum(counter));
  }

  private Call shard() {
    CounterPath counter = counter();
    int shard = random.nextInt(SHARDS);
    ShardChange change =
        switch (random.nextInt(8)) {
          case 0 -> new ShardChange.Delete();
          case 1 -> new ShardChange.Update(delta());
          case 2 -> new ShardChange.Put(Optional.of(pick(ODD_VALUES)));
          case 3 -> new ShardChange.Put(field());
          default -> new ShardChange.Increment(delta());
        };
    return new Call(
        "shard %s/%d %s".formatted(counter, shard, change),
        side -> side.change(counter, shard, change));
  }

  private Total delta() {
    return switch (random.nextInt(6)) {
      case 0 -> new Total.Fraction((random.nextInt(17) - 8) / 4.0);
      case 1 -> new Total.Whole(random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE);
      default -> new Total.Whole(random.nextInt(7) - 3L);
    };
  }

  private Optional<Object> field() {
    return random.nextInt(3) == 0 ? Optional.empty() : Optional.of(delta().number());
  }

  private Call write() {
    CounterPath counter = counter();
    PlannedChange change =
        switch (random.nextInt(9)) {
          case 0, 1, 2 -> new PlannedChange.Create(pick(), lease());
          case 3 -> new PlannedChange.Delete(version());
          default -> update();
        };
    return new Call("write " + counter + " " + change, side -> side.write(counter, change));
  }

  /** Without a sum, the protocol always changes the lease. */
  private PlannedChange update() {
    OptionalInt sum = random.nextInt(3) == 0 ? OptionalInt.empty() : OptionalInt.of(pick());
    Optional<PlannedChange.PlannedLease> lease =
        random.nextBoolean() ? Optional.of(lease()) : Optional.empty();
    return new PlannedChange.Update(version(), sum, lease, sum.isPresent() && random.nextBoolean());
  }

  private PlannedChange.PlannedLease lease() {
    int lanes = random.nextBoolean() ? 2 : MOST_LANES;
    return new PlannedChange.PlannedLease(end(), random.nextInt(lanes));
  }

  private Version version() {
    int dice = random.nextInt(5);
    Version.Kind kind =
        dice < 3 ? Version.Kind.RIGHT : dice < 4 ? Version.Kind.STALE : Version.Kind.INVENTED;
    return new Version(kind, pick());
  }

  /** Few, so that many are the same. */
  private Duration end() {
    return Duration.ofSeconds(1 + random.nextInt(ENDS));
  }

  private Call query() {
    return switch (random.nextInt(6)) {
      case 0 -> {
        CounterPath counter = counter();
        yield new Call("read " + counter, side -> side.read(counter));
      }
      case 1 -> new Call("live", Side::live);
      case 2, 3 -> liveAfter();
      default -> page();
    };
  }

  private Call liveAfter() {
    Duration after = end().plusNanos(1_000L * (random.nextInt(3) - 1));
    int first = random.nextInt(2);
    List<Integer> lanes =
        IntStream.range(first, first + 1 + random.nextInt(MOST_LANES)).boxed().toList();
    return new Call(
        "liveAfter %s %d to %d".formatted(after, first, first + lanes.size() - 1),
        side -> side.liveAfter(after, lanes));
  }

  private Call page() {
    Group group = pick(List.of(Group.values()));
    int end = pick();
    int limit = 1 + random.nextInt(COUNTERS + 1);
    return new Call(
        "page %s %d %d".formatted(group, end, limit), side -> side.page(group, end, limit));
  }

  private Call run() {
    int worker = random.nextInt(WORKERS);
    String holder = "holder " + random.nextInt(2);
    Duration until = end();
    Version expected = version();
    return switch (random.nextInt(7)) {
      case 0, 1 ->
          new Call(
              "claim %d %s %s".formatted(worker, holder, until),
              side -> side.runs().claim(worker, holder, until));
      case 2, 3 ->
          new Call(
              "keep %d %s %s %s".formatted(worker, holder, until, expected),
              side -> side.runs().keep(worker, holder, until, expected));
      case 4 ->
          new Call(
              "release %d %s".formatted(worker, expected),
              side -> side.runs().release(worker, expected));
      case 5 -> new Call("poke " + worker, side -> side.runs().poke(worker));
      default -> new Call("watch " + worker, side -> side.runs().watch(worker));
    };
  }

  /** What was seen in the end. */
  List<Call> last() {
    List<Call> calls = new ArrayList<>();
    for (int worker = 0; worker < WORKERS; worker++) {
      int seen = worker;
      calls.add(new Call("sighted " + worker, side -> side.runs().sighted(seen)));
    }
    for (CounterPath counter : counters) {
      calls.add(new Call("sum " + counter, side -> side.sum(counter)));
    }
    return calls;
  }

  private <T> T pick(List<T> choice) {
    return choice.get(random.nextInt(choice.size()));
  }

  private int pick() {
    return random.nextInt(1_000);
  }
}
