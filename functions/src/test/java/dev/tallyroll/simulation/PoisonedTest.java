package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A hundred good counters beside a hundred others, all on one roller's list. */
class PoisonedTest extends RunFixture {
  private static final int COUNTERS = 100;
  private static final int ROUNDS = 60;
  private static final Duration PAUSE = Duration.ofMillis(350);

  /** Three legs of a call until the total is there: to the sum, back, and to the roll-up. */
  private static final Duration LONGEST = TIMING.tick().plus(Duration.ofNanos(3 * 5_500_000));

  private final List<CounterPath> good = counters("good");
  private final Map<CounterPath, Deque<Instant>> unseen = new HashMap<>();
  private final List<Duration> lags = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(doubles = {5, Double.NaN, Double.NEGATIVE_INFINITY})
  void goodCounters_showEachIncrementAtTheNextTick(double beside) {
    for (CounterPath other : counters("other")) {
      makeLive(other, Duration.ofMinutes(9));
      set(other, Total.of(beside));
    }
    good.forEach(counter -> makeLive(counter, TIMING.lease()));
    database.onRollup((counter, rollup) -> rollup.ifPresent(seen -> measure(counter, seen)));
    schedule();

    for (int round = 1; round <= ROUNDS; round++) {
      for (CounterPath counter : good) {
        Instant committed = set(counter, new Total.Whole(round));
        unseen.computeIfAbsent(counter, first -> new ArrayDeque<>()).add(committed);
      }
      time.run(PAUSE, () -> false);
    }
    time.run(LONGEST, () -> false);

    assertThat(counters("other"))
        .allMatch(this::isLive)
        .allMatch(other -> shows(other, Double.isFinite(beside) ? beside : 0));
    assertThat(lags).hasSize(COUNTERS * ROUNDS).allMatch(lag -> lag.compareTo(LONGEST) <= 0);
  }

  private boolean shows(CounterPath counter, double total) {
    return database.read(counter).orElseThrow().total().number().doubleValue() == total;
  }

  private void measure(CounterPath counter, Rollup seen) {
    Deque<Instant> commits = unseen.getOrDefault(counter, new ArrayDeque<>());
    while (!commits.isEmpty() && !commits.element().isAfter(seen.asOf())) {
      lags.add(Duration.between(commits.remove(), seen.updateTime()));
    }
  }

  private Instant set(CounterPath counter, Total count) {
    Instant committed = database.tick();
    database.shards.put(counter, Map.of(0, new Database.Shard(count, committed)));
    return committed;
  }

  private static List<CounterPath> counters(String kind) {
    return IntStream.range(0, COUNTERS).mapToObj(i -> CounterPath.of(kind + "-" + i)).toList();
  }
}
