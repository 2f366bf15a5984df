package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Plays whole deployments, one a seed. Replay one with {@code -Dsimulation.first=SEED
 * -Dsimulation.seeds=1}.
 */
class SimulationTest {
  private static final long FIRST = Long.getLong("simulation.first", 1);
  private static final long SEEDS = Long.getLong("simulation.seeds", 10_000);

  @Test
  void everySeed_settlesOnExactTotals() {
    Map<Faults.Kind, Integer> faults = new EnumMap<>(Faults.Kind.class);
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      play(seed).forEach((kind, count) -> faults.merge(kind, count, Integer::sum));
    }
    if (SEEDS > 1_000) {
      assertThat(faults).containsOnlyKeys(Faults.Kind.values());
    }
  }

  private static Map<Faults.Kind, Integer> play(long seed) {
    World world = new World(seed);
    try {
      world.play();
      return world.faultCounts();
    } catch (AssertionError | RuntimeException broken) {
      throw new AssertionError(
          "seed=" + seed + ": " + broken.getMessage() + "\n" + world.history(), broken);
    }
  }
}
