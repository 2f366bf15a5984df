package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.protocol.SmallSteps.Step;
import dev.tallyroll.simulation.OwnPool;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * Visits all states of some small worlds. With {@code -Dexhaustive.more=N}, the clock of each goes
 * N units further, which multiplies the states.
 */
class ExhaustiveTest {
  private static final int MORE = Integer.getInteger("exhaustive.more", 0);

  @Test
  void everyState_keepsThePromises() {
    Set<Step> taken = ConcurrentHashMap.newKeySet();
    OwnPool.run(
        () ->
            Bounds.worlds(MORE).parallelStream()
                .forEach(
                    bounds -> {
                      Exploration exploration = new Exploration(bounds);
                      exploration.run(Long.MAX_VALUE);
                      taken.addAll(exploration.taken);
                      System.out.printf("%,11d states: %s%n", exploration.states(), bounds);
                    }));

    assertThat(taken).containsExactlyInAnyOrderElementsOf(EnumSet.allOf(Step.class));
  }
}
