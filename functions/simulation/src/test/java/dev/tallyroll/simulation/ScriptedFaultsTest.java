package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.Faults.Branch;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of a script, which a seed would hardly ever draw. After each fault, the total is exact and
 * no work is left.
 */
class ScriptedFaultsTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), LEASE, Duration.ofSeconds(1), 10);
  private static final Duration PAUSE = Duration.ofMillis(300);
  private static final Duration SETTLES_WITHIN = Duration.ofMinutes(2);

  /** The platform's first back-off. Each wait is twice the one before, up to ten minutes. */
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

  private final World world = World.scripted(TIMING);
  private final Faults faults = world.faults;
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private List<ShardWrites> handlers = List.of(handler(), handler());
  private long exact;
  private int pending;

  private ShardWrites handler() {
    return world.handler(world.instance(), Layout.DEFAULT, rollers);
  }

  private void pass(Duration duration) {
    world.time.pass(duration);
  }

  /** Makes increments, which the two instances handle in turn. */
  private void increment(int times, Duration pause) {
    for (int i = 0; i < times; i++) {
      ShardWrites handler = handlers.get(i % handlers.size());
      world.time.after(
          pause.multipliedBy(i), () -> handle(handler, world.put(LIKES, new Total.Whole(++exact))));
    }
  }

  private void handle(ShardWrites handler, Instant committed) {
    pending++;
    deliver(handler, committed, AGAIN_AFTER);
  }

  private void deliver(ShardWrites handler, Instant committed, Duration wait) {
    var unused =
        handler
            .written(world.event(LIKES, committed))
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    pending--;
                  } else {
                    Duration twice = wait.multipliedBy(2);
                    Duration next = twice.compareTo(LONGEST_WAIT) < 0 ? twice : LONGEST_WAIT;
                    world.time.after(wait, () -> deliver(handler, committed, next));
                  }
                });
  }

  /** Starts a run, as the schedule does. */
  private void run() {
    rollers.start(/* wakeUp= */ false, 0);
  }

  private void runEveryMinute(int times) {
    for (int i = 0; i < times; i++) {
      world.time.after(Duration.ofMinutes(i), this::run);
    }
  }

  private Optional<Rollup> rollup() {
    return world.totals.rollup(LIKES);
  }

  private boolean isExact() {
    return world.totals.wrong().isEmpty();
  }

  private boolean isSettled() {
    return isExact() && world.isQuiet() && pending == 0 && rollers.running == 0;
  }

  private void assertSettles() {
    world.time.run(SETTLES_WITHIN, this::isSettled);
    assertThat(isSettled()).as("exact %s, shown %s", exact, rollup()).isTrue();
  }

  private void settleAt(int total) {
    increment(total, Duration.ofMillis(1));
    pass(Duration.ofSeconds(2));
    run();
    assertSettles();
  }

  @Test
  void tenRunsAtOnce_areWastefulButRight() {
    increment(40, PAUSE);
    pass(Duration.ofSeconds(3));

    for (int i = 0; i < 10; i++) {
      run();
    }

    pass(Duration.ofSeconds(15));
    assertSettles();
  }

  @Test
  void handlerThatStallsForTenLeases_overwritesNothing() {
    settleAt(1);
    faults.nextStall = LEASE.multipliedBy(10);
    increment(1, PAUSE);
    pass(Duration.ofSeconds(2));
    assertThat(faults.nextStall).isZero();

    increment(2, PAUSE);
    pass(Duration.ofSeconds(40));
    increment(30, PAUSE);

    pass(Duration.ofSeconds(60));
    assertSettles();
  }

  @Test
  void rollerThatStallsForTenLeases_overwritesNothing() {
    increment(20, PAUSE);
    // The stall begins between two ticks, so that there is a change to write, and lasts past the
    // next run.
    pass(Duration.ofMillis(4_500));
    faults.nextStall = LEASE.multipliedBy(14);
    runEveryMinute(3);

    pass(Duration.ofMinutes(3));

    assertThat(faults.nextStall).isZero();
    assertSettles();
  }

  /** Over millions of documents, say. */
  @Test
  void sumOfAMinute_holdsUpItsOwnCounterOnly() {
    CounterPath votes = CounterPath.of("votes");
    List<CounterPath> both = List.of(LIKES, votes);
    both.forEach(counter -> world.makeLive(counter, Duration.ofMinutes(3)));
    run();
    pass(Duration.ofSeconds(5));
    faults.nextStall = Duration.ofSeconds(58);
    pass(Duration.ofSeconds(1));
    assertThat(faults.nextStall).isZero();

    both.forEach(counter -> world.put(counter, new Total.Whole(7)));
    pass(Duration.ofSeconds(3));
    assertThat(both).filteredOn(this::showsSeven).hasSize(1);
    pass(Duration.ofSeconds(60));
    assertThat(both).allMatch(this::showsSeven);
  }

  private boolean showsSeven(CounterPath counter) {
    return world.totals.rollup(counter).filter(it -> it.total().longValue() == 7).isPresent();
  }

  /** A shard holds an infinity, and fifty increments a second come to three instances. */
  @Test
  void poisonedCounter_costsASumASecondForAnInstance() {
    faults.wakeUpsAreLost = true;
    List<ShardWrites> three = List.of(handlers.get(0), handlers.get(1), handler());
    world.put(LIKES, new Total.Fraction(Double.NEGATIVE_INFINITY));
    for (int i = 0; i < 1_000; i++) {
      ShardWrites handler = three.get(i % 3);
      world.time.after(
          Duration.ofMillis(20).multipliedBy(i),
          () -> handle(handler, world.put(LIKES, new Total.Fraction(Double.NEGATIVE_INFINITY))));
    }

    pass(Duration.ofSeconds(20));

    assertThat(world.calls.of(Call.SUM)).isBetween(3 * 19, 3 * 21);
    assertThat(world.calls.of(Call.READ)).isLessThan(3 * 21);
    pass(Duration.ofSeconds(2));
    assertThat(pending).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-PT1H", "PT1H", "-PT0.5S", "-P1D", "P1D"})
  void clocksThatJump_decideNothing(Duration jump) {
    increment(60, PAUSE);
    runEveryMinute(4);
    pass(Duration.ofSeconds(4));

    faults.clockError = jump;

    pass(Duration.ofMinutes(4));
    assertSettles();
  }

  /** The pauses make a live counter, which the roller serves, and a quiet one for the handlers. */
  @ParameterizedTest
  @ValueSource(strings = {"PT0.3S", "PT4S"})
  void tenMinutesWithoutFirestore_loseNothingAndStormNothing(Duration pause) {
    int events = (int) Duration.ofMinutes(10).dividedBy(pause);
    runEveryMinute(30);
    increment(events, pause);
    pass(Duration.ofSeconds(10));

    faults.refused.addAll(EnumSet.allOf(Call.class));
    pass(Duration.ofMinutes(10));
    faults.refused.clear();

    // One call a delivery, tried twice, with growing back-off; and a call and a query a tick by two
    // rollers.
    assertThat(faults.refusals).isLessThan(2 * 7 * events + 4 * 600);
    pass(Duration.ofMinutes(20));
    assertSettles();
  }

  @Test
  void missingIndex_leavesTheHandlersAtWork() {
    faults.refused.addAll(EnumSet.of(Call.LIVE, Call.LIVE_SINCE));
    runEveryMinute(2);
    increment(20, PAUSE);
    pass(Duration.ofSeconds(30));

    increment(1, PAUSE);

    pass(Duration.ofSeconds(1));
    assertThat(isExact()).isTrue();
    assertThat(faults.branches).contains(Branch.RUN_FAILED);
    faults.refused.clear();
    runEveryMinute(3);
    pass(Duration.ofMinutes(3));
    assertSettles();
  }

  @Test
  void scheduleThatPausedForHours_isMadeUpForAtOnce() {
    faults.wakeUpsAreLost = true;
    increment(20, PAUSE);
    pass(Duration.ofHours(2));
    assertThat(rollup().flatMap(Rollup::liveUntil)).isPresent();
    long before = world.totals.rollupWrites;

    for (int i = 0; i < 120; i++) {
      run();
    }

    assertSettles();
    // The first sum shows a change, so the counter may still be busy. The second write settles it.
    assertThat(world.totals.rollupWrites - before).isEqualTo(2);
  }

  @Test
  void eventOfYesterday_writesNothing() {
    settleAt(3);
    Instant committed = rollup().orElseThrow().asOf().minusSeconds(5);
    pass(Duration.ofHours(23));
    Optional<Rollup> before = rollup();

    handlers.forEach(handler -> handle(handler, committed));

    pass(Duration.ofMinutes(1));
    assertThat(rollup()).isEqualTo(before);
  }

  @Test
  void restoredShards_areFoundByTheSweep() {
    settleAt(7);
    world.put(LIKES, new Total.Whole(3)); // without an event, as a restore does
    assertThat(isExact()).isFalse();

    world.sweep(Layout.DEFAULT);

    pass(Duration.ofSeconds(5));
    assertSettles();
  }

  @Test
  void lostRollup_isFoundByTheSweep() {
    settleAt(7);
    world.delete("rollups/likes");

    world.sweep(Layout.DEFAULT);

    pass(Duration.ofSeconds(5));
    assertThat(isExact()).isTrue();
    run();
    assertSettles();
  }

  /**
   * A quiet counter, and a live one. A write waits for two seconds, and so may one before it, at a
   * version that is not the roll-up's any more, or of an earlier tick.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 60})
  void lockedDocument_holdsUpNoRollup(int increments) {
    world.totals.showsFields = true;
    handlers = List.of(handler(), handler());
    world.put("counters/likes", Map.of());
    settleAt(1);
    pass(Duration.ofMinutes(1));
    world.history.maxLag = Duration.ZERO;
    runEveryMinute(2);
    increment(increments, PAUSE);
    Duration before = increments == 1 ? Duration.ZERO : Duration.ofSeconds(6);
    world.time.after(before, () -> world.appDocuments.hold(LIKES, Duration.ofSeconds(9)));

    pass(before.plusSeconds(8));
    assertThat(world.history.maxLag).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(5));
    assertThat(shown()).isNotEqualTo(rollup().map(rollup -> rollup.total().number()));

    assertSettles();
    world.sweep(Layout.DEFAULT);
    assertThat(shown()).contains(exact);
  }

  private Optional<Number> shown() {
    return world.appDocuments.shown(LIKES, Figure.SUM);
  }
}
