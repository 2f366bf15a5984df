package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.simulation.Faults.Kind;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Plays a whole deployment with FOLD for each seed. To replay one, use {@code
 * -Dsimulation.first=SEED -Dsimulation.seeds=1}.
 */
class FoldSimulationTest {
  private static final long FIRST = Long.getLong("simulation.first", 1);
  private static final long SEEDS = Long.getLong("simulation.seeds", 1_000);

  /** Faults of roll-ups. */
  private static final Set<Kind> OTHERS =
      EnumSet.of(
          Kind.LONG_SUM,
          Kind.ROLLUP_REMOVED,
          Kind.FOREIGN_DOCUMENT,
          Kind.FOREIGN_FIELD,
          Kind.HANDED_OVER,
          Kind.FOREIGN_RUN_DOCUMENT,
          Kind.SHARDS_WITHOUT_FIELD,
          Kind.OTHER_SETTINGS);

  @Test
  void everySeed_movesEachIncrementOnce() {
    Set<Kind> faults = ConcurrentHashMap.newKeySet();
    LongStream seeds = LongStream.range(FIRST, FIRST + SEEDS).parallel();
    OwnPool.run(
        () ->
            seeds.forEach(
                seed ->
                    faults.addAll(Seeds.played(seed, new FoldWorld(seed)).faults.counts.keySet())));
    if (SEEDS >= 1_000) {
      assertThat(faults)
          .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.copyOf(OTHERS)));
    }
  }
}
