package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A run goes on, or makes way, whichever of its calls fails. */
class RunFailuresTest extends RunFixture {
  @Test
  void claimWhoseReplyIsLost_standsAndIsGivenUpAtTheEnd() {
    doAnswer(call -> firestore.create(0, call.getArgument(1)).thenCompose(lost -> fails()))
        .when(runs)
        .create(anyInt(), any());
    makeLive(LIKES);
    schedule();
    time.run(Duration.ofSeconds(3), () -> false);

    makeLive(VOTES);
    String woken = wakeElsewhere();

    assertThat(woken).isEqualTo("ALREADY_ALIVE");
    assertThat(isLive(LIKES) || isLive(VOTES)).isFalse();
    time.run(Duration.ofSeconds(10), () -> false);
    assertThat(ending).isEqualTo("IDLE");
    assertThat(database.runs).isEmpty();
  }

  @Test
  void claimThatFails_isMadeGoodWhenItIsKeptUp() {
    boolean[] refused = {false};
    doAnswer(
            call -> {
              boolean first = !refused[0];
              refused[0] = true;
              return first ? fails() : firestore.create(0, call.getArgument(1));
            })
        .when(runs)
        .create(anyInt(), any());
    makeLive(LIKES, Duration.ofSeconds(60));
    schedule();
    time.run(Duration.ofSeconds(14), () -> false);

    assertThat(database.runs).containsOnlyKeys("rollup_runs/counters-0");
  }

  @Test
  void placeOfSomebodyElsesDocument_isLeftAlone() {
    database.foreignRuns.add("rollup_runs/counters-0"); // the database fails whoever writes there
    makeLive(LIKES, Duration.ofSeconds(30));
    schedule();
    time.run(Duration.ofSeconds(20), () -> false);
    makeLive(VOTES, Duration.ofSeconds(30));
    assertThat(wakeElsewhere()).isEmpty();
    time.run(Duration.ofSeconds(60), () -> false);

    assertThat(isLive(LIKES) || isLive(VOTES)).isFalse();
    assertThat(ending).isEqualTo("IDLE");
    assertThat(database.runs).isEmpty();
  }

  @Test
  void firstLookThatFails_isRepeated() {
    boolean[] failed = {false};
    doAnswer(
            call -> {
              boolean first = !failed[0];
              failed[0] = true;
              return first ? fails() : firestore.live();
            })
        .when(rollups)
        .live();
    makeLive(LIKES);
    schedule();
    time.run(Duration.ofSeconds(20), () -> false);

    assertThat(isLive(LIKES)).isFalse();
    assertThat(ending).isEqualTo("IDLE");
  }

  @Test
  void lastLookThatFails_letsTheRunGoOn() {
    int[] looks = {0};
    doAnswer(call -> ++looks[0] == 2 ? fails() : firestore.live()).when(rollups).live();
    makeLive(LIKES);
    schedule();
    time.run(Duration.ofSeconds(40), () -> false);

    assertThat(looks[0]).isGreaterThan(2);
    assertThat(ending).isEqualTo("IDLE");
    assertThat(database.runs).isEmpty();
  }

  @Test
  void releaseWhoseReplyIsLost_isNoFailure() {
    doAnswer(call -> firestore.release(0, call.getArgument(1)).thenCompose(lost -> fails()))
        .when(runs)
        .release(anyInt(), any());
    makeLive(LIKES);
    schedule();
    time.run(Duration.ofSeconds(20), () -> false);

    assertThat(ending).isEqualTo("IDLE");
    assertThat(database.runs).isEmpty();
  }
}
