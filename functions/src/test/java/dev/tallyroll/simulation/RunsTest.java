package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.atMost;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

import dev.tallyroll.protocol.RunStore.Claim;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who runs, for how long, and at what cost, while nothing fails. */
class RunsTest extends RunFixture {
  private static final Duration LONG = Duration.ofSeconds(100);

  private void pass(int seconds) {
    time.run(Duration.ofSeconds(seconds), () -> false);
  }

  private Claim claim() {
    return Objects.requireNonNull(database.runs.get("rollup_runs/counters-0")).claim();
  }

  @Test
  void scheduledRunWithNothingLive_costsOneQuery() {
    schedule();
    pass(1);

    assertThat(ending).isEqualTo("NOTHING_LIVE");
    verify(rollups, times(1)).live();
    verifyNoInteractions(runs);
  }

  @Test
  void runThatGoesOn_keepsItsDocumentUp() {
    makeLive(LIKES, LONG);
    schedule();
    pass(45);

    assertThat(ending).isNull();
    assertThat(claim().holder()).isEqualTo("scheduled");
    assertThat(claim().until()).isBetween(time.now().plusSeconds(14), time.now().plusSeconds(26));
    verify(runs, times(1)).create(anyInt(), any());
    verify(runs, never()).read(anyInt());
    verify(runs, times(4)).replace(anyInt(), any(), any());
  }

  @Test
  void wakeUpHere_needsNoCallOfTheRunDocument() {
    makeLive(LIKES, LONG);
    schedule();
    pass(3);
    clearInvocations(runs);

    assertThat(wake(here, instance)).isEqualTo("ALREADY_ALIVE");

    verify(runs, never()).read(anyInt());
    verify(runs, never()).poke(anyInt(), any());
    verify(rollups, times(1)).liveAfter(any(), any());
  }

  @Test
  void wakeUpElsewhere_reachesTheRunThatIsAlive() {
    makeLive(LIKES, LONG);
    schedule();
    pass(3);
    makeLive(VOTES, LONG);

    assertThat(wakeElsewhere()).isEqualTo("ALREADY_ALIVE");

    verify(rollups, atLeastOnce()).sum(VOTES);
    verify(rollups, times(1)).liveAfter(any(), any());
    pass(40);
    assertThat(ending).isNull();
    assertThat(claim().holder()).isEqualTo("scheduled");
    assertThat(claim().until()).isAfter(time.now().plusSeconds(10));
    verify(rollups, times(1)).liveAfter(any(), any());
  }

  @Test
  void wakeUpAfterACrash_startsARun() {
    makeLive(LIKES, LONG);
    schedule();
    pass(3);
    instance.crash();
    assertThat(wakeElsewhere()).isEqualTo("ALREADY_ALIVE");
    pass(25);

    assertThat(wakeElsewhere()).isEmpty();

    assertThat(claim().holder()).isEqualTo("woken");
  }

  @Test
  void wakeUpThatFindsTheDocumentGone_startsARun() {
    makeLive(LIKES, LONG);
    schedule();
    pass(3);
    doAnswer(call -> CompletableFuture.completedFuture(false))
        .when(elsewhere)
        .poke(anyInt(), any());

    assertThat(wakeElsewhere()).isEmpty();

    assertThat(claim().holder()).isEqualTo("woken");
  }

  @Test
  void runThatIsTakenOver_endsAndTouchesNothing() {
    makeLive(LIKES, LONG);
    schedule();
    pass(3);
    doAnswer(call -> CompletableFuture.completedFuture(false))
        .when(elsewhere)
        .poke(anyInt(), any());
    assertThat(wakeElsewhere()).isEmpty();
    pass(2);

    assertThat(ending).isEqualTo("TAKEN_OVER");
    verify(runs, never()).release(anyInt(), any());
    assertThat(isLive(LIKES)).isTrue();
  }

  @Test
  void runAtItsDeadline_wakesItsSuccessor() {
    makeLive(LIKES, LONG);
    schedule();
    pass(75);

    assertThat(ending).isEqualTo("DEADLINE");
    assertThat(wakeUps).containsExactly(0);
    assertThat(database.runs).isEmpty();
    verify(runs, atMost(7)).replace(anyInt(), any(), any());
  }

  @Test
  void idleRun_waitsForAWhileAndWakesNobody() {
    makeLive(LIKES);
    schedule();
    pass(4);
    assertThat(ending).isNull();
    pass(6);

    assertThat(ending).isEqualTo("IDLE");
    assertThat(wakeUps).isEmpty();
    assertThat(database.runs).isEmpty();
  }
}
