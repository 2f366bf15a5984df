package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Polled counters, whose writes make no event: each change shows within POLL, however long nothing
 * changed before; in virtual time, without faults.
 */
@SuppressWarnings("NullAway.Init") // each test starts its own world
final class PollsTest {
  private static final CounterPath HOT = CounterPath.of("q-hot");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /**
   * The calls of a poll: a sum, a read, a write, and what goes before them at the start of a run.
   */
  private static final Duration CALLS = Duration.ofMillis(500);

  private World world;
  private Rollers rollers;
  private long shown;

  private static Timing timing(String tick, String poll) {
    Duration every = Duration.parse(tick);
    return new Timing(
        every, every.multipliedBy(5), Duration.ZERO, 15, Duration.ZERO, 0, Duration.parse(poll));
  }

  private void start(String tick, String poll, boolean alone) {
    start(World.scripted(timing(tick, poll)), alone);
  }

  private void start(World begun, boolean alone) {
    world = begun;
    world.totals.polledAlone = alone;
    rollers = new Rollers(world, alone ? ServerTotals.POLLED : Layout.DEFAULT);
    rollers.polls = true;
    rollers.everyMinute();
  }

  private void change() {
    world.put(HOT, new Total.Whole(++shown));
  }

  private Optional<Long> total() {
    return world.totals.rollup(HOT).map(Rollup::total).map(total -> total.number().longValue());
  }

  /** Returns how long it took. */
  private Duration untilShown() {
    Instant changed = world.time.now();
    world.time.run(Duration.ofMinutes(5), () -> total().equals(Optional.of(shown)));
    assertThat(total()).contains(shown);
    return Duration.between(changed, world.time.now());
  }

  /** After pauses of up to an hour. The first change of a new counter is found within a minute. */
  @ParameterizedTest
  @CsvSource({
    "PT1S, PT1S, true",
    "PT1S, PT1S, false",
    "PT1S, PT10S, true",
    "PT10S, PT10S, true",
    "PT1M, PT10S, false",
    "PT0.5S, PT1S, false",
    "PT1S, PT1M, true",
    "PT1M, PT1M, true"
  })
  void changeAfterAnyPause_showsWithinPoll(String tick, String poll, boolean alone) {
    start(tick, poll, alone);
    Random random = new Random(1);
    change();
    assertThat(untilShown()).isLessThan(MINUTE.plus(Duration.parse(poll)).plus(CALLS));

    for (int i = 0; i < 12; i++) {
      world.time.pass(Duration.ofMillis(random.nextInt(i % 10 == 0 ? 3_600_000 : 20_000)));
      change();

      assertThat(untilShown()).as("change " + i).isLessThan(Duration.parse(poll).plus(CALLS));
    }
  }

  /** Each minute the next run takes over; none is left that waits, but the one that polls. */
  @Test
  void runs_areHandedOverWithoutAGap() {
    start("PT1S", "PT1S", /* alone= */ true);
    change();
    untilShown();

    world.time.pass(Duration.ofHours(1));

    assertThat(rollers.running).isEqualTo(1);
    assertThat(rollers.wakeUps).isEmpty();
    assertThat(world.calls.of(Call.SUM)).isBetween(3_590, 3_760);
    assertThat(world.totals.isLive(HOT)).isFalse();
  }

  /** The list of polled counters is read once a minute, and sums are all that polls cost beside. */
  @Test
  void list_isReadOnceAMinute() {
    start("PT1S", "PT1S", /* alone= */ true);
    change();
    untilShown();
    int before = world.calls.of(Call.PAGE);

    world.time.pass(Duration.ofMinutes(10));

    assertThat(world.calls.of(Call.PAGE) - before).isLessThan(60);
  }

  /**
   * The run that is taken over may make a counter live which the next run has just found in order,
   * and not in the live list: whenever between its calls the change comes.
   */
  @Test
  void counterThatBecomesLiveWhileAnotherRunTakesOver_isNotLost() {
    for (int early = 0; early < 60; early++) {
      start("PT1S", "PT10S", /* alone= */ true);
      rollers.pauseSchedule();
      rollers.start(/* wakeUp= */ false, 0);
      change();
      world.time.pass(Duration.ofMinutes(1));
      long toPoll = 10_000 - world.time.now().toEpochMilli() % 10_000;
      world.time.pass(Duration.ofMillis(10_000 + toPoll - early));
      rollers.start(/* wakeUp= */ false, 0);
      world.time.pass(Duration.ofMillis(early / 2));
      change();
      world.time.pass(Duration.ofSeconds(2));

      change();

      assertThat(untilShown()).as(early + " ms").isLessThan(Duration.ofSeconds(10).plus(CALLS));
    }
  }

  /** A poll that takes longer than POLL is the only one: none waits behind it. */
  @Test
  void pollThatTakesLongerThanPoll_leavesOutTheNext() {
    start("PT1S", "PT1S", /* alone= */ true);
    world.faults.late.put(Call.SUM, Duration.ofSeconds(5));
    change();
    untilShown();
    int before = world.calls.of(Call.SUM);

    world.time.pass(Duration.ofMinutes(5));

    assertThat(world.calls.of(Call.SUM) - before).isBetween(40, 70);
  }

  /** An instance that is to end wakes another run, which polls at once. */
  @Test
  void instanceThatEnds_handsItsPollsOn() {
    start("PT1S", "PT10S", /* alone= */ true);
    change();
    untilShown();
    rollers.pauseSchedule();
    world.time.pass(Duration.ofSeconds(30));
    int before = rollers.wakeUps.size();

    rollers.terminateAll();
    world.time.pass(Duration.ofSeconds(1));

    assertThat(rollers.wakeUps).hasSize(before + 1);
    change();
    assertThat(untilShown()).isLessThan(Duration.ofSeconds(10).plus(CALLS));
  }

  /** A poll that may look no further is followed by one that goes on there. */
  @Test
  void moreCountersThanAPollMayLookAt_areAllFoundWithinAFewPolls() {
    Timing timing = timing("PT1S", "PT1S");
    start(
        new World(
            new Faults(1, Faults.Level.NONE), World.settings(timing, 1, 2), () -> Duration.ZERO),
        /* alone= */ true);
    List<CounterPath> counters =
        Stream.of("q1", "q2", "q3", "q4", "q5").map(CounterPath::of).toList();
    counters.forEach(counter -> world.put(counter, new Total.Whole(1)));
    world.time.run(MINUTE.plus(CALLS), () -> counters.stream().anyMatch(this::isShown));
    Instant first = world.time.now();

    world.time.run(MINUTE, () -> counters.stream().allMatch(this::isShown));

    assertThat(counters).allMatch(this::isShown);
    assertThat(Duration.between(first, world.time.now())).isLessThan(Duration.ofSeconds(20));
  }

  private boolean isShown(CounterPath counter) {
    return world.totals.rollup(counter).isPresent();
  }

  /** Where no run sees that another is alive, none stays only to poll, and wakes the next. */
  @Test
  void behindAForeignRunDocument_runsDoNotGrow() {
    start("PT1S", "PT1S", /* alone= */ true);
    world.put(ServerTotals.POLLED.runDocument("0"), Map.of("of", "somebody else"));
    change();
    untilShown();

    world.time.pass(Duration.ofMinutes(30).plusSeconds(20));

    assertThat(rollers.running).isZero();
    change();
    assertThat(untilShown()).isLessThan(MINUTE.plus(CALLS));
  }

  @Test
  void withoutPolledCounters_noRunStays() {
    start("PT1S", "PT1S", /* alone= */ true);

    world.time.pass(Duration.ofMinutes(10));

    assertThat(rollers.running).isZero();
    assertThat(rollers.alive()).isLessThan(Duration.ofSeconds(10));
  }

  /** If the schedule fails, the run that comes to its end wakes another, which polls at once. */
  @Test
  void runWithoutASuccessor_wakesOne() {
    start("PT1S", "PT10S", /* alone= */ true);
    change();
    untilShown();
    rollers.pauseSchedule();
    world.time.pass(Duration.ofMinutes(5));
    assertThat(rollers.wakeUps).isNotEmpty();

    change();

    assertThat(untilShown()).isLessThan(Duration.ofSeconds(10).plus(CALLS));
  }

  /** With HOLD, a small change waits for it, and a large one does not. */
  @Test
  void heldTotals_areHeldByPolls() {
    Timing timing =
        new Timing(
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ZERO,
            15,
            Duration.ofSeconds(20),
            /* precision= */ 0.1,
            Duration.ofSeconds(1));
    start(World.scripted(timing), /* alone= */ true);
    shown = 1_000;
    change();
    untilShown();
    change();
    assertThat(untilShown()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(21));

    shown = 2_000;
    change();

    assertThat(untilShown()).isLessThan(Duration.ofSeconds(2));
  }
}
