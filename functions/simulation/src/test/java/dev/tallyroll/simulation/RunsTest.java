package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The runs of one worker: their holders, durations and costs, and failures of each call. */
class RunsTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final CounterPath VOTES = CounterPath.of("votes");
  private static final String DOCUMENT = "rollup_runs/tallyroll/live/run-0";
  private static final Duration LONG = Duration.ofSeconds(100);
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15);

  /** The calls of a run whose one counter is live for six seconds. */
  private static final int CALLS = 16;

  /** A run starts, and ends or goes on, within so many milliseconds. */
  private static final int STEPS = 40;

  private final World world = World.scripted(TIMING);
  private final ServerTotals totals = world.totals;
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private final Rollers.RollUpInstance here = rollers.new RollUpInstance();
  private final Rollers.RollUpInstance elsewhere = rollers.new RollUpInstance();

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

  /** Makes LIKES live for a time, and lets a scheduled run work for some seconds. */
  private void run(Duration live, int seconds) {
    world.makeLive(LIKES, live);
    here.take(/* wakeUp= */ false, 0);
    pass(seconds);
  }

  /** Sends a wake-up; returns the endings within three seconds, none if the run goes on. */
  private List<String> wakeElsewhere() {
    elsewhere.take(/* wakeUp= */ true, 0);
    pass(3);
    return elsewhere.endings;
  }

  private void assertIdleIn(int seconds) {
    pass(seconds);
    assertThat(here.endings).containsExactly("IDLE");
    assertThat(totals.claims()).isEmpty();
    assertThat(totals.isLive(LIKES) || totals.isLive(VOTES)).isFalse();
  }

  private Claim claim() {
    return Objects.requireNonNull(totals.claims().get(DOCUMENT));
  }

  @Test
  void runThatGoesOn_looksOnceATickAndKeepsItsDocumentUpNowAndThen() {
    run(LONG, 45);

    assertThat(here.endings).isEmpty();
    assertThat(claim().holder()).isEqualTo("run-0");
    assertThat(claim().until())
        .isBetween(world.time.now().plusSeconds(8), world.time.now().plusSeconds(26));
    assertThat(here.instance.calls.of(Call.READ_RUN)).isBetween(43, 46);
    assertThat(here.instance.calls.of(Call.LIVE_SINCE)).isBetween(45, 47);
    assertThat(here.instance.calls.of(Call.CLAIM_RUN)).isEqualTo(3);
  }

  @Test
  void wakeUpWhileARunIsAlive_costsAReadAndIsHeardOfAtTheNextTick() {
    run(LONG, 3);
    world.makeLive(VOTES, LONG);
    world.put(VOTES, new Total.Whole(1));

    assertThat(wakeElsewhere()).containsExactly("ALREADY_ALIVE");

    assertThat(totals.rollup(VOTES).map(Rollup::total)).contains(new Total.Whole(1));
    assertThat(elsewhere.instance.calls.of(Call.READ_RUN)).isEqualTo(1);
    assertThat(elsewhere.instance.calls.of(Call.values())).isEqualTo(1);
    pass(40);
    assertThat(here.endings).isEmpty();
    assertThat(claim().holder()).isEqualTo("run-0");
  }

  @Test
  void instanceThatIsTerminated_givesItsRunUpAndWakesAnother() {
    run(LONG, 3);

    here.terminate();
    pass(1);

    assertThat(here.endings).containsExactly("STOPPED");
    assertThat(totals.claims()).isEmpty();
    assertThat(rollers.wakeUps).containsExactly(0);
    assertThat(wakeElsewhere()).isEmpty();
    assertThat(claim().holder()).isEqualTo("run-1");
  }

  /** The claim may be applied although the instance is told to end before it hears of that. */
  @Test
  void instanceThatIsTerminatedWhileItClaims_leavesNoClaim() {
    world.makeLive(LIKES, LONG);
    here.take(/* wakeUp= */ true, 0);
    passUntil(() -> here.instance.calls.of(Call.CLAIM_RUN) > 0);

    here.terminate();
    pass(1);

    assertThat(here.endings).containsExactly("STOPPED");
    assertThat(totals.claims()).isEmpty();
    assertThat(rollers.wakeUps).containsExactly(0);
  }

  /**
   * The instance is told to end at any millisecond of a run's start: before, during and after its
   * query, the read of its document, and its claim. The first half of the repetitions tests a
   * scheduled run, the second half a woken one.
   */
  @RepeatedTest(2 * STEPS)
  void instanceThatIsTerminatedAtTheStart_leavesNoClaim(RepetitionInfo step) {
    world.makeLive(LIKES, LONG);
    here.take(/* wakeUp= */ step.getCurrentRepetition() > STEPS, 0);

    assertNoClaimAfterTheEnd(Duration.ofMillis(step.getCurrentRepetition() % STEPS));
  }

  /** An idle run releases its document, finds a new counter, and claims its document again. */
  @RepeatedTest(STEPS)
  void instanceThatIsTerminatedWhileItsRunGoesOn_leavesNoClaim(RepetitionInfo step) {
    run(Duration.ofSeconds(6), 3);
    passUntil(() -> here.instance.calls.of(Call.RELEASE_RUN) > 0);
    world.makeLive(VOTES, LONG);

    assertNoClaimAfterTheEnd(Duration.ofMillis(step.getCurrentRepetition()));
  }

  @Test
  void messageAfterTheTermination_isLeftToAnotherInstance() {
    world.makeLive(LIKES, LONG);
    here.terminate();
    here.take(/* wakeUp= */ false, 0);

    assertNoClaimAfterTheEnd(Duration.ZERO);
    assertThat(here.endings).containsExactly("STOPPED");
    assertThat(rollers.wakeUps).containsExactly(0);
  }

  /** The instance ends once its runs have ended. Then a wake-up finds no claim, at any time. */
  private void assertNoClaimAfterTheEnd(Duration afterwards) {
    world.time.pass(afterwards);
    here.terminate();
    passUntil(() -> !here.endings.isEmpty());
    pass(1);

    assertThat(totals.claims()).isEmpty();
    here.crash();
    assertThat(wakeElsewhere()).isEmpty();
    assertThat(claim().holder()).isEqualTo("run-1");
  }

  @Test
  void firestoreThatRefusesAll_isAskedOnceATickAndTotalsAreFreshAtOnceThen() {
    for (int i = 0; i < 200; i++) {
      world.makeLive(CounterPath.of("c" + i), LONG);
    }
    here.take(/* wakeUp= */ false, 0);
    pass(3);

    world.faults.refused.addAll(EnumSet.allOf(Call.class));
    pass(40);
    assertThat(world.faults.refusals).isLessThan(200 + 2 * 40);
    for (int i = 0; i < 200; i++) {
      world.put(CounterPath.of("c" + i), new Total.Whole(9));
    }
    world.faults.refused.clear();
    pass(2);

    world.checkExact();
    assertThat(here.endings).isEmpty();
  }

  @Test
  void wakeUpsAtOnce_leaveOneRun() {
    world.makeLive(LIKES, LONG);
    for (int instance = 0; instance < 30; instance++) {
      rollers.new RollUpInstance().take(/* wakeUp= */ true, 0);
    }
    pass(5);

    assertThat(rollers.running).isEqualTo(1);
    pass(10);
    assertThat(claim().until()).isAfter(world.time.now().plusSeconds(10));
  }

  @Test
  void runThatIsTakenOver_endsAndTouchesNothing() {
    run(LONG, 3);
    elsewhere.take(/* wakeUp= */ false, 0);
    pass(5);

    assertThat(here.endings).containsExactly("TAKEN_OVER");
    assertThat(claim().holder()).isEqualTo("run-1");
    assertThat(here.instance.calls.of(Call.RELEASE_RUN)).isZero();
    assertThat(totals.isLive(LIKES)).isTrue();
  }

  @Test
  void runAtItsDeadline_wakesItsSuccessor() {
    run(LONG, 75);

    assertThat(here.endings).containsExactly("DEADLINE");
    assertThat(rollers.wakeUps).containsExactly(0);
    assertThat(totals.claims()).isEmpty();
    assertThat(here.instance.calls.of(Call.CLAIM_RUN)).isLessThanOrEqualTo(7);
  }

  /** The call is, for example, the first look, a sum, the claim, or the last look. */
  @RepeatedTest(2 * CALLS)
  void callThatIsRefused_isMadeGood(RepetitionInfo call) {
    // A refused release is left out: the claim then stays until it ends.
    fail(world.faults.refused, EnumSet.complementOf(EnumSet.of(Call.RELEASE_RUN)), call);

    assertIdleIn(60);
  }

  @RepeatedTest(2 * CALLS)
  void callWhoseReplyIsLost_isMadeGood(RepetitionInfo call) {
    fail(world.faults.unanswered, EnumSet.allOf(Call.class), call);

    assertIdleIn(60);
  }

  /**
   * Lets one call of a run fail, just after another counter has become live without a wake-up. The
   * first half of the repetitions tests a scheduled run, the second half a woken one.
   */
  private void fail(Set<Call> failing, Set<Call> kinds, RepetitionInfo repetition) {
    IntSupplier made = () -> here.instance.calls.of(Call.values());
    boolean wakeUp = repetition.getCurrentRepetition() > CALLS;
    int call = repetition.getCurrentRepetition() - (wakeUp ? CALLS : 0);
    world.makeLive(LIKES, Duration.ofSeconds(6));
    here.take(wakeUp, 0);
    passUntil(() -> made.getAsInt() >= call - 1);
    world.makeLive(VOTES, Duration.ZERO);
    failing.addAll(kinds);
    passUntil(() -> made.getAsInt() >= call);
    failing.clear();
  }

  @Test
  void claimWhoseReplyIsLost_isHeardOfByWakeUps() {
    world.faults.unanswered.add(Call.CLAIM_RUN);
    run(Duration.ofSeconds(6), 3);
    world.makeLive(VOTES, Duration.ZERO);

    assertThat(wakeElsewhere()).containsExactly("ALREADY_ALIVE");

    assertIdleIn(10);
  }

  @Test
  void placeOfSomebodyElsesDocument_isLeftAlone() {
    world.put(DOCUMENT, Map.of("of", "somebody else")); // a write to it fails the test
    run(Duration.ofSeconds(30), 20);
    world.makeLive(VOTES, Duration.ofSeconds(30));
    assertThat(wakeElsewhere()).isEmpty();
    assertThat(world.history.warnings).hasSize(2);

    assertIdleIn(60);
  }

  /** The next scheduled run comes in time for the next tick, so nobody waits for that. */
  @Test
  void tickOfAMinute_isLeftToTheSchedule() {
    Duration minute = Duration.ofMinutes(1);
    World slow = World.scripted(new Timing(minute, minute.multipliedBy(3), Duration.ZERO, 15));
    Rollers.RollUpInstance run = new Rollers(slow, Layout.DEFAULT).new RollUpInstance();
    slow.makeLive(LIKES, minute.multipliedBy(2));
    slow.put(LIKES, new Total.Whole(1));

    run.take(/* wakeUp= */ false, 0);
    slow.time.pass(Duration.ofSeconds(5));

    assertThat(run.endings).containsExactly("LEFT_TO_SCHEDULE");
    assertThat(slow.totals.claims()).isEmpty();
    assertThat(slow.totals.rollup(LIKES).map(Rollup::total)).contains(new Total.Whole(1));
    assertThat(slow.totals.isLive(LIKES)).isTrue();
  }

  /** A run that waits for a long tick ends soon after it was taken over, not at that tick. */
  @Test
  void longTicks_areNotWaitedForByTwoRuns() {
    Duration tick = Duration.ofSeconds(20);
    World slow = World.scripted(new Timing(tick, tick.multipliedBy(9), Duration.ZERO, 15));
    Rollers all = new Rollers(slow, Layout.DEFAULT);
    Rollers.RollUpInstance before = all.new RollUpInstance();
    Rollers.RollUpInstance after = all.new RollUpInstance();
    slow.makeLive(LIKES, tick.multipliedBy(9));
    slow.put(LIKES, new Total.Whole(1));

    before.take(/* wakeUp= */ false, 0);
    slow.time.pass(Duration.ofSeconds(60 - slow.time.now().getEpochSecond() % 60));
    after.take(/* wakeUp= */ false, 0);
    slow.time.pass(Duration.ofSeconds(4));

    assertThat(before.endings).containsExactly("TAKEN_OVER");
    assertThat(after.endings).isEmpty();
  }
}
