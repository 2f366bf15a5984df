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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Counters whose writes make no event: each change shows within `every`, however long nothing
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

  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15);

  private void start(String poll) {
    start(poll, World.scripted(TIMING));
  }

  private void start(String poll, World begun) {
    world = begun;
    rollers = new Rollers(world, ServerTotals.POLLED);
    rollers.poll(Optional.of(Duration.parse(poll)));
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
  @ValueSource(strings = {"PT1S", "PT10S", "PT1M"})
  void changeAfterAnyPause_showsWithinPoll(String poll) {
    start(poll);
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
    start("PT1S");
    change();
    untilShown();

    world.time.pass(Duration.ofHours(1).plusSeconds(30));

    assertThat(rollers.running).isEqualTo(1);
    assertThat(rollers.wakeUps).isEmpty();
    assertThat(world.calls.of(Call.SUM)).isBetween(3_620, 3_790);
    assertThat(world.calls.of(Call.LIVE) + world.calls.of(Call.LIVE_SINCE)).isZero();
    assertThat(world.totals.isLive(HOT)).isFalse();
  }

  /** The list of counters is read once a minute, and sums are all that polls cost beside. */
  @Test
  void list_isReadOnceAMinute() {
    start("PT1S");
    change();
    untilShown();
    int before = world.calls.of(Call.PAGE);

    world.time.pass(Duration.ofMinutes(10));

    assertThat(world.calls.of(Call.PAGE) - before).isLessThan(60);
  }

  /** A sum that takes longer than `every` is the counter's only one: none waits behind it. */
  @Test
  void sumThatTakesLongerThanPoll_leavesOutTheNext() {
    start("PT1S");
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
    start("PT10S");
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
    start(
        "PT1S",
        new World(
            new Faults(1, Faults.Level.NONE),
            TIMING,
            World.settings(TIMING, 1, 2),
            () -> Duration.ZERO));
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

  /** Where no run sees that another is alive, the schedule alone starts the next. */
  @Test
  void behindAForeignRunDocument_runsDoNotGrow() {
    start("PT1S");
    world.put(
        Layout.runDocument(Functions.of(ServerTotals.POLLED).deployment(), "0"),
        Map.of("of", "somebody else"));
    change();
    untilShown();

    world.time.pass(Duration.ofMinutes(30));

    assertThat(rollers.running).isBetween(1, 2);
    assertThat(rollers.wakeUps).isEmpty();
    change();
    assertThat(untilShown()).isLessThan(Duration.ofSeconds(1).plus(CALLS));
  }

  @Test
  void withoutCounters_noRunStays() {
    start("PT1S");

    world.time.pass(Duration.ofMinutes(10));

    assertThat(rollers.running).isZero();
    assertThat(rollers.alive()).isLessThan(Duration.ofSeconds(10));
  }

  /** If the schedule fails, the run that comes to its end wakes another, which polls at once. */
  @Test
  void runWithoutASuccessor_wakesOne() {
    start("PT10S");
    change();
    untilShown();
    rollers.pauseSchedule();
    world.time.pass(Duration.ofMinutes(5));
    assertThat(rollers.wakeUps).isNotEmpty();

    change();

    assertThat(untilShown()).isLessThan(Duration.ofSeconds(10).plus(CALLS));
  }

  /** With `hold`, a small change waits for it, and a large one does not. */
  @Test
  void heldTotals_areHeldByPolls() {
    Timing timing =
        new Timing(
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ZERO,
            15,
            Duration.ofSeconds(20),
            /* precision= */ 0.1);
    start("PT1S", World.scripted(timing));
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
