package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What one counter costs at a steady rate of random arrivals, with all settings as they come: how
 * long a run is alive, and the dollars of Firestore's operations, for 30 days.
 */
class CostTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1), 15);
  private static final Duration LASTS = Duration.ofHours(1);

  /** Firestore's prices in us-central1, for one read and one write. */
  private static final double READ = 0.03 / 100_000;

  private static final double WRITE = 0.09 / 100_000;

  private final World world = World.scripted(TIMING);
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private final ShardWrites handler =
      new ShardWrites(
          world.connect(world.instance(), Layout.DEFAULT), rollers, world.history, TIMING, 1);
  private long count;

  /** Increments a second; at most so many percent of the time alive, and dollars. */
  @ParameterizedTest
  @CsvSource({"0.01, 1, 0.1", "0.2, 2, 0.8", "1, 15, 4", "2, 75, 7", "4, 106, 6", "20, 106, 6"})
  void counter_costsAtMost(double rate, double mostAlive, double mostDollars) {
    Random random = new Random(7);
    rollers.everyMinute();
    for (double at = next(random, rate); at < LASTS.toSeconds(); at += next(random, rate)) {
      world.time.after(Duration.ofNanos((long) (at * 1e9)), this::increment);
    }
    world.time.pass(LASTS);

    double alive = 100.0 * rollers.alive().toMillis() / LASTS.toMillis();
    long reads = world.calls(Call.READ, Call.SUM, Call.LIVE, Call.LIVE_SINCE, Call.READ_RUN);
    long writes = world.database.rollupWrites + world.database.begins + world.calls(Call.CLAIM_RUN);
    double dollars = 720 * (reads * READ + writes * WRITE);
    System.out.printf(
        "%5.2f/s: alive %5.1f %%, $%.2f in 30 days (%d reads and sums, %d writes an hour)%n",
        rate, alive, dollars, reads, writes);
    assertThat(alive).isLessThanOrEqualTo(mostAlive);
    assertThat(dollars).isLessThanOrEqualTo(mostDollars);
    assertThat(world.history.maxLag).isLessThanOrEqualTo(TIMING.tick().multipliedBy(2));
  }

  private static double next(Random random, double rate) {
    return -Math.log(1 - random.nextDouble()) / rate;
  }

  private void increment() {
    Instant committed = world.put(LIKES, new Total.Whole(++count));
    world.time.after(
        Duration.ofMillis(50),
        () -> {
          var unused = handler.written(LIKES, Optional.of(committed));
        });
  }
}
