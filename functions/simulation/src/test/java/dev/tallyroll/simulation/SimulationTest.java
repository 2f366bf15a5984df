package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Plays a whole deployment for each seed. To replay one, use {@code -Dsimulation.first=SEED
 * -Dsimulation.seeds=1}.
 */
class SimulationTest {
  private static final long FIRST = Long.getLong("simulation.first", 1);
  private static final long PLAYED_TWICE = 16;
  private static final long SEEDS = Long.getLong("simulation.seeds", 1_000);

  /** The seeds of the builds at a push, after the first. */
  private static final long MORE_SEEDS = 10_000;

  /** The promise, without a fault; all that follow play it with faults. */
  @Test
  void totalOfABusyCounter_isASecondOldAndThenExact() {
    Duration second = Duration.ofSeconds(1);
    World world = World.scripted(new Timing(second, second.multipliedBy(5), Duration.ZERO, 15));
    Rollers rollUp = new Rollers(world, Layout.DEFAULT);
    rollUp.everyMinute();
    ShardWrites onShardWritten = world.handler(world.instance(), Layout.DEFAULT, rollUp);
    ShardEventSource trigger = new ShardEventSource(world.entry(Layout.DEFAULT));
    world.totals.onShards(
        (counter, commit) -> {
          world.history.shardsChanged(counter, commit);
          commit.changes().stream()
              .filter(change -> change.path().contains("/shards/"))
              .flatMap(change -> trigger.event(change, commit).stream())
              .forEach(
                  event -> {
                    var unused = onShardWritten.written(event);
                  });
        });
    CounterPath likes = CounterPath.of("likes");

    for (long now = 1; now <= 120; now++) {
      for (int shard = 0; shard < 10; shard++) {
        world.put(likes, shard, Optional.of(now)); // an increment on each shard
      }
      world.time.pass(second);
      assertThat(total(world, likes)).as("after %d s", now).isGreaterThanOrEqualTo(10 * (now - 1));
    }
    world.time.pass(second);
    assertThat(total(world, likes)).isEqualTo(1_200);
  }

  private static long total(World world, CounterPath counter) {
    return world.totals.rollup(counter).map(rollup -> rollup.total().longValue()).orElse(0L);
  }

  @Test
  @Tag("mutants")
  void manySeeds_settleOnExactTotals() {
    LongStream seeds = LongStream.range(FIRST + SEEDS, FIRST + MORE_SEEDS).parallel();
    OwnPool.run(() -> seeds.forEach(seed -> Seeds.played(seed, Seeds.of(seed))));
  }

  @Test
  void everySeed_settlesOnExactTotals() {
    Set<Kind> faults = ConcurrentHashMap.newKeySet();
    Set<Branch> branches = ConcurrentHashMap.newKeySet();
    LongStream seeds = LongStream.range(FIRST, FIRST + SEEDS).parallel();
    OwnPool.run(
        () ->
            seeds.forEach(
                seed -> {
                  Faults withstood = Seeds.played(seed, Seeds.of(seed)).faults;
                  if (!Seeds.isLate(seed)) {
                    faults.addAll(withstood.counts.keySet());
                    branches.addAll(withstood.branches);
                  }
                }));
    if (SEEDS >= 1_000) {
      assertThat(faults)
          .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.of(Kind.LARGE_SHARDS)));
      assertThat(branches).containsExactlyInAnyOrder(Branch.values());
    }
  }

  @Test
  void everyScript_keepsThePromises() {
    LongStream.rangeClosed(Script.FIRST, Script.LAST)
        .forEach(seed -> Seeds.played(seed, Seeds.of(seed)));
  }

  /** Nothing in a world depends on another thread, on the machine's clock, or on chance. */
  @Test
  void seedThatIsPlayedTwice_takesTheSameSteps() {
    for (long seed = FIRST; seed < FIRST + PLAYED_TWICE; seed++) {
      assertThat(trace(seed)).as("seed %d", seed).isEqualTo(trace(seed));
    }
  }

  private static String trace(long seed) {
    World world = Seeds.played(seed, Seeds.of(seed));
    return world.time.now() + " " + world.calls + "\n" + world.server.commits();
  }
}
