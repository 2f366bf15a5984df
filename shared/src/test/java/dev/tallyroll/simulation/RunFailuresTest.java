package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Sum;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A run goes on, or makes way, whichever of its calls fails: at the seam, on a virtual clock. */
class RunFailuresTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final CounterPath VOTES = CounterPath.of("votes");
  private static final Lanes ONE = new Lanes(1, 1);
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO);
  private static final RunSettings SETTINGS =
      new RunSettings(Duration.ofSeconds(70), Duration.ofSeconds(5));

  private final VirtualTime time = new VirtualTime();
  private final Database database = new Database(time);
  private final Instance instance = new Instance(time, Duration.ZERO);
  private final SimulatedFirestore firestore =
      new SimulatedFirestore(database, time, new Faults(1, 0), instance, Duration.ZERO);
  private final RollupStore rollups = mock(RollupStore.class, delegatesTo(firestore));
  private final RunStore runs = mock(RunStore.class, delegatesTo(firestore));
  private @Nullable String ending;

  @Test
  void claimWhoseReplyIsLost_standsAndIsGivenUpAtTheEnd() {
    doAnswer(call -> firestore.claim(0, call.getArgument(1)).thenCompose(lost -> fails()))
        .when(runs)
        .claim(anyInt(), any());
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
  void claimThatIsRefused_isMadeGoodByTheNextTick() {
    boolean[] refused = {false};
    doAnswer(
            call -> {
              boolean first = !refused[0];
              refused[0] = true;
              return first ? fails() : firestore.claim(0, call.getArgument(1));
            })
        .when(runs)
        .claim(anyInt(), any());
    makeLive(LIKES);
    schedule();
    time.run(Duration.ofSeconds(2), () -> false);

    assertThat(database.runs).containsOnlyKeys(0);
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

  private static <T> CompletableFuture<T> fails() {
    return CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE"));
  }

  private void makeLive(CounterPath counter) {
    Sum sum = new Sum(new Total.Whole(0), 1, database.tick());
    Lease lease = new Lease(time.now(), 0);
    assertThat(database.write(counter, new Change.Create(sum, lease), Duration.ZERO)).isPresent();
  }

  private boolean isLive(CounterPath counter) {
    return database.read(counter).map(rollup -> rollup.lease().isPresent()).orElse(false);
  }

  private void schedule() {
    Runs here = runs(rollups, runs, instance, "scheduled");
    instance.execute(
        () -> {
          var unused = here.scheduled(0).whenComplete((end, failure) -> ending = "" + end);
        });
  }

  private String wakeElsewhere() {
    Instance other = new Instance(time, Duration.ZERO);
    Runs there = runs(firestore, firestore, other, "woken");
    String[] woken = {""};
    other.execute(
        () -> {
          var unused = there.woken(0).whenComplete((end, failure) -> woken[0] = "" + end);
        });
    time.run(Duration.ofSeconds(3), () -> false);
    return woken[0];
  }

  private static Runs runs(RollupStore rollups, RunStore runs, Instance loop, String holder) {
    return new Runs(
        rollups,
        runs,
        lane -> CompletableFuture.completedFuture(null),
        Journal.none(),
        TIMING,
        ONE,
        SETTINGS,
        loop,
        () -> holder);
  }
}
