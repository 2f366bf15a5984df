package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Rollup;
import dev.tallyroll.simulation.Trouble.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Disasters, one at a time: when each is over, the total is exact and nothing is left to do. */
class DrillTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(300);
  private static final Duration SETTLES_WITHIN = Duration.ofMinutes(2);

  private final Drill drill = new Drill();

  private void assertSettles() {
    drill.time.run(SETTLES_WITHIN, drill::isSettled);
    assertThat(drill.isSettled())
        .as("exact %s, rolled up %s", drill.exact(), drill.rollup())
        .isTrue();
  }

  private void settleAt(int total) {
    drill.increment(total, Duration.ofMillis(1));
    drill.pass(Duration.ofSeconds(1));
    assertSettles();
  }

  @Test
  void tenRunsAtOnce_areWastefulButRight() {
    drill.increment(40, PAUSE);
    drill.pass(Duration.ofSeconds(3));

    for (int i = 0; i < 10; i++) {
      drill.run();
    }

    drill.pass(Duration.ofSeconds(15));
    assertSettles();
  }

  @Test
  void handlerThatStallsForTenLeases_overwritesNothing() {
    settleAt(1);
    drill.trouble.stallNextSum(LEASE.multipliedBy(10));
    drill.increment(1, PAUSE);
    drill.pass(Duration.ofSeconds(2));
    assertThat(drill.trouble.hasStalled()).isTrue();

    drill.increment(2, PAUSE);
    drill.pass(Duration.ofSeconds(40));
    drill.increment(30, PAUSE);

    drill.pass(Duration.ofSeconds(60));
    assertSettles();
  }

  @Test
  void rollerThatStallsForTenLeases_overwritesNothing() {
    drill.increment(20, PAUSE);
    // Between two ticks, so that there is something to write; and longer than until the next run.
    drill.pass(Duration.ofMillis(4_500));
    drill.trouble.stallNextSum(LEASE.multipliedBy(14));
    drill.runEveryMinute(3);

    drill.pass(Duration.ofMinutes(3));

    assertThat(drill.trouble.hasStalled()).isTrue();
    assertSettles();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-PT1H", "PT1H", "-PT0.5S", "-P1D", "P1D"})
  void clocksThatJump_decideNothing(Duration jump) {
    drill.increment(60, PAUSE);
    drill.runEveryMinute(4);
    drill.pass(Duration.ofSeconds(4));

    drill.trouble.setClocks(jump);

    drill.pass(Duration.ofMinutes(4));
    assertSettles();
  }

  /** A live counter, which the roller looks after, and a quiet one, which only its handlers do. */
  @ParameterizedTest
  @ValueSource(strings = {"PT0.3S", "PT4S"})
  void tenMinutesWithoutFirestore_loseNothingAndStormNothing(Duration pause) {
    int events = (int) Duration.ofMinutes(10).dividedBy(pause);
    drill.runEveryMinute(30);
    drill.increment(events, pause);
    drill.pass(Duration.ofSeconds(10));

    drill.trouble.refuse(EnumSet.allOf(Call.class));
    drill.pass(Duration.ofMinutes(10));
    drill.trouble.end();

    // One call a delivery, whose pauses double; one a tick of each of two rollers, and a query
    // each.
    assertThat(drill.trouble.refusals()).isLessThan(7 * events + 4 * 600);
    drill.pass(Duration.ofMinutes(20));
    assertSettles();
  }

  @Test
  void missingIndex_leavesTheHandlersAtWork() {
    drill.trouble.refuse(EnumSet.of(Call.LIVE, Call.LIVE_AFTER));
    drill.runEveryMinute(2);
    drill.increment(20, PAUSE);
    drill.pass(Duration.ofSeconds(30));

    drill.increment(1, PAUSE);

    drill.pass(Duration.ofSeconds(1));
    assertThat(drill.isExact()).isTrue();
    assertThat(drill.failedRuns()).isPositive();
    drill.trouble.end();
    drill.runEveryMinute(3);
    drill.pass(Duration.ofMinutes(3));
    assertSettles();
  }

  @Test
  void scheduleThatPausedForHours_isMadeUpForAtOnce() {
    drill.loseWakeUps();
    drill.increment(20, PAUSE);
    drill.pass(Duration.ofHours(2));
    assertThat(drill.rollup().flatMap(Rollup::lease)).isPresent();
    long before = drill.database.rollupWrites();

    for (int i = 0; i < 120; i++) {
      drill.run();
    }

    assertSettles();
    // The first sum shows a change, so the counter may be busy still; the second write settles it.
    assertThat(drill.database.rollupWrites() - before).isEqualTo(2);
  }

  @Test
  void eventOfYesterday_writesNothing() {
    settleAt(3);
    Instant committed = drill.rollup().orElseThrow().asOf().minusSeconds(5);
    drill.pass(Duration.ofHours(23));
    Optional<Rollup> before = drill.rollup();

    drill.deliver(0, Optional.of(committed));
    drill.deliver(1, Optional.of(committed));

    drill.pass(Duration.ofMinutes(1));
    assertThat(drill.rollup()).isEqualTo(before);
  }

  @Test
  void restoredShards_areFoundByTheSweep() {
    settleAt(7);
    drill.restoreShard(3);
    assertThat(drill.isExact()).isFalse();

    drill.sweep();

    drill.pass(Duration.ofSeconds(5));
    assertSettles();
  }

  @Test
  void lostRollup_isFoundByTheSweep() {
    settleAt(7);
    drill.database.removeRollup(Drill.LIKES);

    drill.sweep();

    drill.pass(Duration.ofSeconds(5));
    assertSettles();
  }
}
