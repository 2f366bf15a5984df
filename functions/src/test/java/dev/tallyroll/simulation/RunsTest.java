package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** One worker's runs: who runs, for how long, at what cost, and whichever of its calls fails. */
class RunsTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final CounterPath VOTES = CounterPath.of("votes");
  private static final String DOCUMENT = "rollup_runs/counters-0";
  private static final Duration LONG = Duration.ofSeconds(100);
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO);

  private final World world = World.scripted(TIMING, new Lanes(1, 1));
  private final Database database = world.database;
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private final Rollers.Roller here = rollers.new Roller();
  private final Rollers.Roller elsewhere = rollers.new Roller();

  RunsTest() {
    world.faults.wakeUpsAreLost = true;
  }

  private void pass(int seconds) {
    world.time.pass(Duration.ofSeconds(seconds));
  }

  private void passUntil(BooleanSupplier done) {
    world.time.run(Duration.ofSeconds(30), done);
    assertThat(done.getAsBoolean()).isTrue();
  }

  private void schedule() {
    here.take(/* wakeUp= */ false, 0);
  }

  /** How it has ended within three seconds; none if it goes on. */
  private List<String> wake(Rollers.Roller roller) {
    roller.take(/* wakeUp= */ true, 0);
    pass(3);
    return roller.endings;
  }

  private Claim claim() {
    return Objects.requireNonNull(database.runs.get(DOCUMENT)).claim();
  }

  /** Changes the version of the run document in the middle of each poke. */
  private void keepTouching() {
    if (elsewhere.firestore.calls(Call.LIVE) == 0) {
      database.runs.replaceAll(
          (path, run) -> new Database.Run(run.claim(), database.tick(), run.poked()));
      world.time.after(Duration.ofNanos(400_000), this::keepTouching);
    }
  }

  @Test
  void scheduledRunWithNothingLive_costsOneQuery() {
    schedule();
    pass(1);

    assertThat(here.endings).containsExactly("NOTHING_LIVE");
    assertThat(here.firestore.calls(Call.LIVE)).isEqualTo(1);
    assertThat(here.firestore.calls(Call.values())).isEqualTo(1);
  }

  @Test
  void runThatGoesOn_keepsItsDocumentUp() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(45);

    assertThat(here.endings).isEmpty();
    assertThat(claim().holder()).isEqualTo("run-0");
    assertThat(claim().until())
        .isBetween(world.time.now().plusSeconds(14), world.time.now().plusSeconds(26));
    assertThat(here.firestore.calls(Call.READ_RUN)).isEqualTo(1);
    assertThat(here.firestore.calls(Call.CLAIM_RUN)).isEqualTo(5);
  }

  @Test
  void wakeUpHere_needsNoCallOfTheRunDocument() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(3);

    assertThat(wake(here)).containsExactly("ALREADY_ALIVE");

    assertThat(here.firestore.calls(Call.READ_RUN)).isEqualTo(1); // to claim it
    assertThat(here.firestore.calls(Call.POKE_RUN)).isZero();
    assertThat(here.firestore.calls(Call.LIVE_AFTER)).isEqualTo(1);
  }

  @Test
  void wakeUpElsewhere_reachesTheRunThatIsAlive() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(3);
    world.makeLive(VOTES, LONG);
    world.put(VOTES, new Total.Whole(1));

    assertThat(wake(elsewhere)).containsExactly("ALREADY_ALIVE");

    assertThat(database.read(VOTES).map(Rollup::total)).contains(new Total.Whole(1));
    assertThat(here.firestore.calls(Call.LIVE_AFTER)).isEqualTo(1);
    pass(40);
    assertThat(here.endings).isEmpty();
    assertThat(claim().holder()).isEqualTo("run-0");
    assertThat(claim().until()).isAfter(world.time.now().plusSeconds(10));
    assertThat(here.firestore.calls(Call.LIVE_AFTER)).isEqualTo(1);
  }

  @Test
  void wakeUpAfterACrash_startsARun() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(3);
    here.crash();
    assertThat(wake(elsewhere)).containsExactly("ALREADY_ALIVE");
    pass(25);

    assertThat(wake(elsewhere)).hasSize(1);

    assertThat(claim().holder()).isEqualTo("run-1");
  }

  @Test
  void wakeUpThatFindsTheDocumentChanged_startsARunInTheEnd() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(3);
    keepTouching();

    assertThat(wake(elsewhere)).isEmpty();

    assertThat(elsewhere.firestore.calls(Call.POKE_RUN)).isEqualTo(3);
    assertThat(claim().holder()).isEqualTo("run-1");
  }

  @Test
  void runThatIsTakenOver_endsAndTouchesNothing() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(3);
    elsewhere.take(/* wakeUp= */ false, 0);
    pass(5);

    assertThat(here.endings).containsExactly("TAKEN_OVER");
    assertThat(claim().holder()).isEqualTo("run-1");
    assertThat(here.firestore.calls(Call.RELEASE_RUN)).isZero();
    assertThat(database.isLive(LIKES)).isTrue();
  }

  @Test
  void runAtItsDeadline_wakesItsSuccessor() {
    world.makeLive(LIKES, LONG);
    schedule();
    pass(75);

    assertThat(here.endings).containsExactly("DEADLINE");
    assertThat(rollers.wakeUps).containsExactly(0);
    assertThat(database.runs).isEmpty();
    assertThat(here.firestore.calls(Call.CLAIM_RUN)).isLessThanOrEqualTo(8);
  }

  @Test
  void idleRun_waitsForAWhileAndWakesNobody() {
    world.makeLive(LIKES, Duration.ZERO);
    schedule();
    pass(4);
    assertThat(here.endings).isEmpty();
    pass(6);

    assertThat(here.endings).containsExactly("IDLE");
    assertThat(rollers.wakeUps).isEmpty();
    assertThat(database.runs).isEmpty();
  }

  @Nested
  class Failures {
    private void assertIdleIn(int seconds) {
      pass(seconds);
      assertThat(here.endings).containsExactly("IDLE");
      assertThat(database.runs).isEmpty();
    }

    @Test
    void claimWhoseReplyIsLost_standsAndIsGivenUpAtTheEnd() {
      world.faults.unanswered.add(Call.CLAIM_RUN);
      world.makeLive(LIKES, Duration.ZERO);
      schedule();
      pass(3);

      world.makeLive(VOTES, Duration.ZERO);

      assertThat(wake(elsewhere)).containsExactly("ALREADY_ALIVE");
      assertIdleIn(10);
      assertThat(database.isLive(LIKES) || database.isLive(VOTES)).isFalse();
    }

    @Test
    void claimThatFails_isMadeGoodWhenItIsKeptUp() {
      world.faults.refused.add(Call.CLAIM_RUN);
      world.makeLive(LIKES, LONG);
      schedule();
      passUntil(() -> here.firestore.calls(Call.CLAIM_RUN) == 1);
      world.faults.refused.clear();
      pass(14);

      assertThat(database.runs).containsOnlyKeys(DOCUMENT);
    }

    @Test
    void placeOfSomebodyElsesDocument_isLeftAlone() {
      database.foreignRuns.add(DOCUMENT); // the database fails whoever writes there
      world.makeLive(LIKES, Duration.ofSeconds(30));
      schedule();
      pass(20);
      world.makeLive(VOTES, Duration.ofSeconds(30));
      assertThat(wake(elsewhere)).isEmpty();

      assertIdleIn(60);
      assertThat(database.isLive(LIKES) || database.isLive(VOTES)).isFalse();
    }

    @Test
    void firstLookThatFails_isRepeated() {
      world.faults.refused.add(Call.LIVE);
      world.makeLive(LIKES, Duration.ZERO);
      schedule();
      passUntil(() -> here.firestore.calls(Call.LIVE) == 1);
      world.faults.refused.clear();

      assertIdleIn(20);
      assertThat(database.isLive(LIKES)).isFalse();
    }

    @Test
    void laterLookThatFails_letsTheRunGoOn() {
      world.makeLive(LIKES, Duration.ZERO);
      schedule();
      passUntil(() -> here.firestore.calls(Call.LIVE) == 1);
      world.faults.refused.add(Call.LIVE);
      passUntil(() -> here.firestore.calls(Call.LIVE) == 2);
      world.faults.refused.clear();

      assertIdleIn(40);
      assertThat(here.firestore.calls(Call.LIVE)).isGreaterThan(2);
    }

    @Test
    void lastLookThatFails_letsTheRunGoOn() {
      world.makeLive(LIKES, Duration.ZERO);
      schedule();
      passUntil(() -> here.firestore.calls(Call.RELEASE_RUN) == 1);
      int looks = here.firestore.calls(Call.LIVE);
      world.faults.refused.add(Call.LIVE);
      passUntil(() -> here.firestore.calls(Call.LIVE) > looks);
      world.faults.refused.clear();

      passUntil(() -> database.runs.containsKey(DOCUMENT));
      assertIdleIn(40);
    }

    @Test
    void releaseWhoseReplyIsLost_isNoFailure() {
      world.faults.unanswered.add(Call.RELEASE_RUN);
      world.makeLive(LIKES, Duration.ZERO);

      schedule();

      assertIdleIn(20);
    }
  }
}
