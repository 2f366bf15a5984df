package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The costs and delays of very many events of one counter, and of very many counters. */
class LoadTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15);
  private static final Duration LONG = Duration.ofMinutes(9);
  private static final int EVENTS = 100_000;
  private static final int MANY = 10_000;
  private static final int GOOD = 100;
  private static final int ROUNDS = 60;
  private static final Duration PAUSE = Duration.ofMillis(350);

  /** A tick, and three legs of calls: to the sum, back, and to the roll-up. */
  private static final Duration LONGEST = TIMING.tick().plus(Duration.ofNanos(3 * 5_500_000));

  private final World world = World.scripted(TIMING);
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private final Rollers.RollUpInstance roller = rollers.new RollUpInstance();
  private final Map<CounterPath, Deque<Instant>> unseen = new HashMap<>();
  private final List<Duration> lags = new ArrayList<>();
  private final Set<CounterPath> written = new HashSet<>();

  private static List<CounterPath> counters(String kind, int number) {
    return IntStream.range(0, number).mapToObj(i -> CounterPath.of(kind + "-" + i)).toList();
  }

  @Test
  void hundredThousandEventsAtOnce_shareTwoSums() {
    world.faults.wakeUpsAreLost = true;
    World.Instance instance = world.instance();
    ShardWrites writes = world.handler(instance, Layout.DEFAULT, rollers);

    List<CompletableFuture<Void>> handled =
        IntStream.rangeClosed(1, EVENTS)
            .mapToObj(count -> world.put(LIKES, new Total.Whole(count)))
            .map(committed -> writes.written(world.event(LIKES, committed)))
            .toList();
    world.time.pass(Duration.ofSeconds(1));

    assertThat(handled).allMatch(done -> done.isDone() && !done.isCompletedExceptionally());
    assertThat(world.calls.of(Call.READ)).isEqualTo(1);
    assertThat(world.calls.of(Call.SUM)).isEqualTo(2);
    assertThat(world.calls.of(Call.WRITE)).isEqualTo(2);
    world.checkExact();
  }

  @Test
  void tenThousandLiveCounters_areEachSummedOnceATick() {
    for (CounterPath counter : counters("c", MANY)) {
      world.makeLive(counter, LONG);
      world.put(counter, new Total.Whole(1));
    }
    world.time.pass(TIMING.tick());

    roller.take(/* wakeUp= */ false, 0);
    world.time.pass(TIMING.tick().multipliedBy(3).dividedBy(2));

    assertThat(roller.instance.calls.of(Call.SUM)).isEqualTo(2 * MANY);
    assertThat(roller.instance.calls.of(Call.WRITE)).isEqualTo(MANY);
    world.checkExact();
  }

  /** Claims of all workers were once news to each of them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 16, 64})
  void reads_riseInProportionToWorkers(int workers) {
    World shared =
        new World(
            new Faults(/* seed= */ 1, Faults.Level.NONE),
            TIMING,
            World.settings(TIMING, workers),
            () -> Duration.ZERO);
    Rollers runs = new Rollers(shared, Layout.DEFAULT);
    for (CounterPath counter : counters("c", 10 * workers)) {
      shared.makeLive(counter, LONG);
    }
    shared.time.pass(Timing.LONGEST_CALL.multipliedBy(2)); // nothing is new any more
    for (int worker = 0; worker < workers; worker++) {
      runs.start(/* wakeUp= */ false, worker);
    }
    shared.time.pass(Duration.ofSeconds(50));

    long reads =
        shared.billed.of(Call.LIVE, Call.LIVE_SINCE)
            - 10L * workers
            + shared.calls.of(Call.READ_RUN);
    assertThat(reads).isBetween(2L * 49 * workers, 2L * 52 * workers);
  }

  @ParameterizedTest
  @ValueSource(doubles = {5, Double.NEGATIVE_INFINITY})
  void goodCounters_showEachIncrementAtTheNextTick(double beside) {
    boolean poisoned = !Double.isFinite(beside);
    List<CounterPath> others = counters("other", GOOD);
    List<CounterPath> good = counters("good", GOOD);
    for (CounterPath other : others) {
      world.makeLive(other, LONG);
      world.put(other, Total.of(beside));
    }
    good.forEach(counter -> world.makeLive(counter, TIMING.lease()));
    world.totals.onRollup(
        (counter, rollup) -> {
          world.history.rollupChanged(counter, rollup);
          written.add(counter);
          measure(counter, rollup.orElseThrow());
        });
    roller.take(/* wakeUp= */ false, 0);

    for (int round = 1; round <= ROUNDS; round++) {
      for (CounterPath counter : good) {
        Instant committed = world.put(counter, new Total.Whole(round));
        unseen.computeIfAbsent(counter, first -> new ArrayDeque<>()).add(committed);
      }
      world.time.pass(PAUSE);
    }
    world.time.pass(LONGEST);

    assertThat(lags).hasSize(GOOD * ROUNDS).allMatch(lag -> lag.compareTo(LONGEST) <= 0);
    assertThat(others)
        .allMatch(world.totals::isLive)
        .allMatch(other -> shown(other) == (poisoned ? 0 : beside));
    assertThat(others).allMatch(other -> written.contains(other) != poisoned);
    assertThat(reported())
        .containsExactlyInAnyOrderElementsOf(
            poisoned ? others.stream().map(Layout.DEFAULT::counterDocument).toList() : List.of());
  }

  private void measure(CounterPath counter, Rollup seen) {
    Deque<Instant> commits = unseen.getOrDefault(counter, new ArrayDeque<>());
    while (!commits.isEmpty() && !commits.element().isAfter(seen.asOf())) {
      lags.add(Duration.between(commits.remove(), seen.updateTime()));
    }
  }

  private double shown(CounterPath counter) {
    return world.totals.rollup(counter).orElseThrow().total().number().doubleValue();
  }

  private List<String> reported() {
    return world.history.warnings.stream()
        .filter(line -> line.severity() == Severity.ERROR)
        .map(line -> String.valueOf(line.fields().get("counter")))
        .toList();
  }
}
