package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
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
    Set<Faults.Kind> faults = EnumSet.noneOf(Faults.Kind.class);
    Set<Branch> branches = EnumSet.noneOf(Branch.class);
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      if (Seeds.isLate(seed)) {
        LateEvents late = new LateEvents(seed);
        play(seed, late::play, late::history);
        continue;
      }
      World world = new World(seed);
      play(seed, world::play, world::history);
      faults.addAll(world.faultCounts().keySet());
      branches.addAll(world.branches());
    }
    if (SEEDS > 1_000) {
      assertThat(faults).containsExactlyInAnyOrder(Faults.Kind.values());
      assertThat(branches).containsExactlyInAnyOrder(Branch.values());
    }
  }

  private static void play(long seed, Runnable world, Supplier<String> history) {
    try {
      world.run();
    } catch (AssertionError | RuntimeException broken) {
      throw new AssertionError(
          "seed=" + seed + ": " + broken.getMessage() + "\n" + history.get(), broken);
    }
  }
}
