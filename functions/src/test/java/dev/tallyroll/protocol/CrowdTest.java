package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Very many events of one counter, and very many counters: what that costs, and who waits. */
class CrowdTest {
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
  private static final int EVENTS = 100_000;
  private static final int COUNTERS = 10_000;
  private static final int POISON = 100;

  private final List<String> reported = new ArrayList<>();
  private final Journal journal =
      (severity, message, fields) -> {
        if (severity == Journal.Severity.ERROR) {
          reported.add(String.valueOf(fields.get("counter")));
        }
      };

  /** A loop on which nothing waits and no time passes. */
  private static final class Still implements EventLoop {
    @Override
    public void execute(Runnable step) {
      step.run();
    }

    @Override
    public Instant instant() {
      return CountingStore.START;
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      return new CompletableFuture<>();
    }
  }

  private Roller roller(CountingStore store) {
    return new Roller(store, journal, TIMING, new Lanes(1, 1), 0, new Still());
  }

  @Test
  void hundredThousandEventsAtOnce_shareTwoSums() {
    CountingStore store = new CountingStore(0);
    ShardWrites writes =
        new ShardWrites(
            store, lane -> CompletableFuture.completedFuture(null), journal, TIMING, () -> 0);

    List<CompletableFuture<Void>> handled =
        IntStream.range(0, EVENTS)
            .mapToObj(
                event ->
                    writes.written(
                        CounterPath.of("likes"),
                        Optional.of(CountingStore.START.plusSeconds(100 + event))))
            .toList();
    store.firstAnswer.complete(null);

    assertThat(handled).allMatch(done -> done.isDone() && !done.isCompletedExceptionally());
    assertThat(store.reads).isEqualTo(2);
    assertThat(store.summed).isEqualTo(2);
    assertThat(store.written).containsEntry(CounterPath.of("likes"), 2);
  }

  @Test
  void tenThousandLiveCounters_areEachSummedOnceATick() {
    CountingStore store = new CountingStore(COUNTERS);
    Roller roller = roller(store);

    roller.fill().join();
    roller.tick(0);

    assertThat(store.summed).isEqualTo(2 * COUNTERS);
    assertThat(store.written).hasSize(COUNTERS).containsEntry(CounterPath.of("c0"), 1);
  }

  @Test
  void poisonedCounters_areReportedOnceEachAndDelayNoOther() {
    CountingStore store = new CountingStore(POISON + 1);
    List<CounterPath> poisoned = store.counters().subList(0, POISON);
    poisoned.forEach(counter -> store.sums.put(counter, new Total.Fraction(Double.NaN)));
    Roller roller = roller(store);

    roller.fill().join();
    for (int tick = 0; tick < 5; tick++) {
      store.sums.put(CounterPath.of("c" + POISON), new Total.Whole(tick + 2));
      roller.tick(0);
    }

    assertThat(store.written).hasSize(1).containsEntry(CounterPath.of("c" + POISON), 6);
    assertThat(reported)
        .containsExactlyInAnyOrderElementsOf(poisoned.stream().map(CounterPath::toString).toList());
  }
}
