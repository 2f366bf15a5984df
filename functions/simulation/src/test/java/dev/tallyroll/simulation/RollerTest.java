package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.runs.TickTask;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A roller, tick by tick; {@link RunsTest} and {@link Script} have whole runs. */
class RollerTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final CounterPath VOTES = CounterPath.of("votes");
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private Stage stage = stage(Duration.ZERO);

  private static Stage stage(Duration slack) {
    return new Stage(new Timing(seconds(1), seconds(5), slack, 3), 250);
  }

  private static Duration seconds(double number) {
    return Duration.ofMillis(Math.round(1_000 * number));
  }

  /** Makes two counters live, whose totals are 5. */
  private void bothAreLive(Duration lease) {
    stage.shards(LIKES, 5L);
    stage.live(LIKES, 5L, lease);
    stage.shards(VOTES, 5L);
    stage.live(VOTES, 5L, lease);
  }

  /** The roller of a new run, which has read the live list. */
  private TickTask begun() {
    TickTask roller = stage.roller();
    stage.get(roller.fill());
    return roller;
  }

  /** Another run, or a handler, writes 6; then the shards are back at 5. */
  private void anotherWritesSixAndItIsFiveAgain() {
    stage.shards(LIKES, 6L);
    stage.lease(LIKES, 6L, LONG);
    stage.shards(LIKES, 5L);
  }

  private void assertShows(CounterPath counter, long total) {
    assertThat(stage.total(counter)).contains(total);
  }

  /** The shards are where this run has seen them, but not the roll-up. */
  @Test
  void successor_readsAgainBeforeItBelievesThatNothingHasChanged() {
    bothAreLive(LONG);
    TickTask roller = stage.roller();
    roller.takeOver();
    stage.get(roller.fill());
    stage.tick(roller);
    anotherWritesSixAndItIsFiveAgain();

    stage.tick(roller);

    assertShows(LIKES, 5);
  }

  /** Once the lease has ended, handlers write; slack keeps the counter on the list for a while. */
  @Test
  void unchangedSumAfterTheLease_isNoReasonToBelieveWhatIsKnown() {
    stage = stage(seconds(2));
    bothAreLive(seconds(9));
    TickTask roller = begun();
    stage.pass(seconds(8));
    stage.tick(roller);
    stage.pass(seconds(2));
    stage.tick(roller);
    assertThat(stage.reads(LIKES)).isEqualTo(1);
    anotherWritesSixAndItIsFiveAgain();

    stage.tick(roller);

    assertShows(LIKES, 5);
  }

  @Test
  void entryWithoutALease_isRemovedAtItsVersion() {
    stage.rollup(LIKES, 5L);
    stage.enter(stage.world.counter(LIKES));
    stage.enter(stage.world.counter(VOTES)); // and no roll-up
    TickTask roller = begun();
    stage.world.faults.late.put(Call.READ, seconds(1));
    roller.begin();
    stage.pass(seconds(0.5));
    stage.shards(LIKES, 6L);
    stage.live(LIKES, 6L, LONG);
    stage.get(roller.findNew());

    stage.get(roller.worked());

    assertThat(stage.isListed(stage.world.counter(LIKES))).isTrue();
    assertThat(stage.isListed(stage.world.counter(VOTES))).isFalse();
    assertThat(stage.calls(Call.SUM)).isZero();
    stage.shards(LIKES, 7L);
    stage.tick(roller);
    assertShows(LIKES, 7);
  }

  @Test
  void counterThatIsLiveAgainWhileItSettles_staysOnTheList() {
    bothAreLive(seconds(5));
    TickTask roller = begun();
    stage.pass(seconds(6));
    stage.world.faults.late.put(Call.WRITE, seconds(1));
    roller.begin();
    stage.pass(seconds(0.5));
    assertThat(stage.isLive(LIKES)).isFalse();
    stage.shards(LIKES, 6L);
    stage.live(LIKES, 6L, LONG);
    stage.get(roller.findNew());
    stage.get(roller.worked());
    stage.shards(LIKES, 7L);

    stage.tick(roller);

    assertShows(LIKES, 7);
  }

  /** Whoever came between may have written a total that is almost a tick old. */
  @Test
  void refusedWrite_isTriedAgainAtOnce() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.shards(LIKES, 6L);
    stage.refuse(LIKES, 1);

    stage.tick(roller);

    assertShows(LIKES, 6);
    assertThat(stage.reads(LIKES)).isEqualTo(2);
    assertThat(stage.sums(LIKES)).isEqualTo(2);
    assertThat(stage.writes(LIKES)).isEqualTo(2);
  }

  @Test
  void writeThatIsRefusedAgain_waitsForTheNextTick() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.shards(LIKES, 6L);
    stage.refuse(LIKES, 3);

    stage.tick(roller);
    assertShows(LIKES, 5);
    assertThat(stage.writes(LIKES)).isEqualTo(2);

    stage.tick(roller);
    assertShows(LIKES, 6);
    assertThat(stage.reads(LIKES)).isEqualTo(4);
    assertThat(stage.writes(LIKES)).isEqualTo(4);
  }

  @Test
  void counterThatKeepsFailing_isNamedAndPassedOverForHalfALease() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.failSums(LIKES);

    stage.tick(roller, 9);

    assertThat(stage.sums(LIKES)).isEqualTo(5);
    assertThat(stage.sums(VOTES)).isEqualTo(9);
    assertThat(stage.log())
        .singleElement()
        .asString()
        .startsWith("ERROR calls for this counter keep failing")
        .contains("counters/likes", "UNAVAILABLE");
    stage.heal();
    stage.shards(LIKES, 6L);
    stage.pass(seconds(2));
    stage.tick(roller);
    assertShows(LIKES, 5);
    stage.pass(seconds(0.5));
    stage.tick(roller, 2);
    assertShows(LIKES, 6);
    assertThat(stage.sums(LIKES)).isEqualTo(7);
  }

  @Test
  void counterThatFailedAndIsLiveAgain_isTriedAtOnce() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.failSums(LIKES);
    stage.tick(roller, 9);
    stage.heal();
    stage.shards(LIKES, 6L);
    stage.enter(stage.world.counter(LIKES));

    stage.get(roller.findNew());
    stage.tick(roller);

    assertShows(LIKES, 6);
  }

  @Test
  void countersThatFail_keepNoRunAlive() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.failSums(LIKES);
    stage.failSums(VOTES);

    stage.tick(roller, 4);
    assertThat(roller.isIdle()).isFalse();

    stage.tick(roller);
    assertThat(roller.isIdle()).isTrue();
  }

  /** A write whose failure was reported may be carried out later, and the shards be back. */
  @Test
  void writeThatFailed_mayStillTakeEffect() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.shards(LIKES, 6L);
    stage.delayWrite(LIKES);
    stage.tick(roller);
    stage.shards(LIKES, 5L);
    stage.tick(roller);
    stage.applyDelayedWrite();
    assertShows(LIKES, 6);

    stage.tick(roller);

    assertShows(LIKES, 5);
  }

  /** Thousands may be created at once; each needs a read, a sum and a write. */
  @Test
  void countersThatAreNew_waitForOneAnotherAndDelayNoOther() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.tick(roller);
    for (int i = 0; i < 300; i++) {
      CounterPath counter = CounterPath.of("new" + i);
      stage.shards(counter, 5L);
      stage.live(counter, 5L, LONG);
    }
    stage.world.faults.late.put(Call.READ, MINUTE);

    stage.get(roller.findNew());
    stage.pass(seconds(1));
    assertThat(stage.calls(Call.READ)).isEqualTo(2 + 200);
    stage.shards(LIKES, 6L);
    roller.begin();
    stage.pass(seconds(1));
    assertShows(LIKES, 6);

    stage.pass(MINUTE);
    assertThat(stage.calls(Call.READ)).isEqualTo(2 + 300);
  }

  /** The total is as late as the lease, so a sum before SLACK has passed can end nothing. */
  @Test
  void newRollup_isSummedOnceSlackHasPassed() {
    stage = stage(seconds(2));
    stage.shards(LIKES, 5L);
    stage.live(LIKES, 5L, Duration.ZERO);
    stage.pass(seconds(0.5));
    TickTask roller = begun();

    stage.tick(roller);
    stage.pass(seconds(0.9));
    stage.tick(roller);
    assertThat(stage.reads(LIKES)).isEqualTo(1);
    assertThat(stage.sums(LIKES)).isZero();

    stage.pass(seconds(0.7));
    stage.tick(roller);
    assertThat(stage.isLive(LIKES)).isFalse();
    assertThat(stage.isListed(stage.world.counter(LIKES))).isFalse();
    assertThat(roller.isIdle()).isTrue();
  }

  /** Only a new roll-up waits: this one was live, and its total may be old. */
  @Test
  void rollupWhoseLeaseHasEnded_isSummedWhileSlackLasts() {
    stage = stage(seconds(2));
    stage.shards(LIKES, 5L);
    stage.live(LIKES, 5L, seconds(1));
    stage.shards(LIKES, 6L);
    stage.pass(seconds(2));

    stage.tick(begun());

    assertShows(LIKES, 6);
    assertThat(stage.isLive(LIKES)).isTrue();
  }

  /** A transaction of a client may hold the roll-up, and so the commit of the entry, for long. */
  @Test
  void newEntries_areSoughtAsFarBackAsACommitMayTake() {
    TickTask roller = begun();
    stage.shards(LIKES, 6L);
    stage.lease(LIKES, 5L, LONG);
    stage.enter(stage.world.counter(LIKES), stage.now().minusSeconds(9));
    stage.shards(VOTES, 6L);
    stage.lease(VOTES, 5L, LONG);
    stage.enter(stage.world.counter(VOTES), stage.now().minusSeconds(11));

    stage.get(roller.findNew());
    stage.get(roller.worked());

    assertShows(LIKES, 6);
    assertShows(VOTES, 5);
  }

  @Test
  void summary_isOneLineAMinuteThatSaysWhatMatters() {
    bothAreLive(LONG);
    TickTask roller = begun();
    stage.tick(roller);
    stage.pass(seconds(1.5));
    stage.shards(LIKES, 6L);
    roller.tick(stage.now().plus(seconds(1)));
    stage.get(roller.worked());
    assertThat(stage.log()).isEmpty();

    stage.pass(MINUTE);
    stage.tick(roller);

    assertThat(stage.log())
        .singleElement()
        .asString()
        .startsWith(
            "INFO summary {worker=0, live=2, sums=4, writes=1, unchanged=3, settled=0, refused=0,"
                + " unusable=0, foreign=0, late=1, cut=0, failed=0, lag_p50_ms=15")
        .matches(".* lag_p50_ms=15[0-3]0, lag_p99_ms=15[0-3]0, oldest_lease_ms=0}");
  }
}
