package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.protocol.SmallSteps.Step;
import dev.tallyroll.simulation.OwnPool;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Visits all states of some small worlds. With {@code -Dexhaustive.more=N}, the clock of each goes
 * N units further, which multiplies the states.
 */
class ExhaustiveTest {
  private static final int MORE = Integer.getInteger("exhaustive.more", 0);

  @Test
  void everyState_keepsThePromises() {
    assertThat(visit(/* large= */ false))
        .containsExactlyInAnyOrderElementsOf(EnumSet.allOf(Step.class));
  }

  @Test
  @Tag("mutants")
  void everyStateOfTheLarge_keepsThePromises() {
    assertThat(visit(/* large= */ true)).isNotEmpty();
  }

  private static Set<Step> visit(boolean large) {
    Set<Step> taken = ConcurrentHashMap.newKeySet();
    OwnPool.run(
        () ->
            Bounds.worlds(MORE).parallelStream()
                .filter(bounds -> bounds.isLarge() == large)
                .forEach(
                    bounds -> {
                      Exploration exploration = new Exploration(bounds);
                      exploration.run(Long.MAX_VALUE);
                      taken.addAll(exploration.taken);
                      System.out.printf("%,11d states: %s%n", exploration.states(), bounds);
                    }));
    return taken;
  }
}
