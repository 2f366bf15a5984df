package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A counter whose sums are dear, here from its first shard on: it is summed once a minute. */
class LargeCounterTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final World world =
      World.scripted(
          new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, /* burst= */ 3)
              .withMost(0));

  private final List<String> wakeUps = new ArrayList<>();
  private final List<ShardWrites> handlers =
      Stream.generate(
              () ->
                  world.handler(
                      world.instance(),
                      Layout.DEFAULT,
                      id -> {
                        wakeUps.add(id);
                        return CompletableFuture.completedFuture(null);
                      }))
          .limit(3)
          .toList();
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private long total;

  LargeCounterTest() {
    world.faults.wakeUpsAreLost = true;
  }

  private void increment(ShardWrites handler) {
    var done = handler.written(world.event(LIKES, world.put(LIKES, new Total.Whole(++total))));
    world.time.run(Duration.ofSeconds(10), done::isDone);
    assertThat(done).isCompleted();
  }

  private Rollup rollup() {
    return world.totals.rollup(LIKES).orElseThrow();
  }

  private int sums() {
    return world.calls.of(Call.SUM);
  }

  private void assertShown(long expected) {
    assertThat(rollup().total()).isEqualTo(new Total.Whole(expected));
  }

  /** A quiet roll-up, which is right, and of a minute ago. */
  private void quiet() {
    world.putRollup(LIKES, ++total, Optional.empty());
    world.put(LIKES, new Total.Whole(total));
    world.time.pass(MINUTE);
  }

  /** A total of 2, and the promise of another. */
  private void promised() {
    quiet();
    increment(handlers.get(0));
    increment(handlers.get(0));
  }

  /** A run of a message; how it has ended after so long. */
  private List<String> run(boolean wakeUp, int seconds) {
    var instance = rollers.new RollUpInstance();
    instance.take(wakeUp, 0);
    world.time.pass(Duration.ofSeconds(seconds));
    return instance.endings;
  }

  @Test
  void firstWriteAfterAQuietMinute_isSummedAtOnce() {
    quiet();

    increment(handlers.get(0));

    assertShown(2);
    assertThat(rollup().liveUntil()).isEmpty();
  }

  /** One commit, and nothing more while that lease lasts, however many there are. */
  @Test
  void laterWrites_costALeaseAndWakeNobody() {
    quiet();
    increment(handlers.get(0));
    int sums = sums();
    int writes = world.calls.of(Call.WRITE);

    for (int i = 0; i < 30; i++) {
      increment(handlers.get(0));
    }

    assertThat(sums()).isEqualTo(sums);
    assertThat(world.calls.of(Call.WRITE)).isEqualTo(writes + 1);
    assertThat(wakeUps).isEmpty();
    assertShown(2);
    assertThat(rollup().liveUntil().orElseThrow()).isAfter(world.time.now().plus(MINUTE));
  }

  @Test
  void handlersThatMeetItAtOnce_makeOneLease() {
    quiet();
    increment(handlers.get(0));
    int sums = sums();
    Instant committed = world.put(LIKES, new Total.Whole(++total));

    var all =
        handlers.stream().map(handler -> handler.written(world.event(LIKES, committed))).toList();
    world.time.run(Duration.ofSeconds(10), () -> all.stream().allMatch(each -> each.isDone()));

    assertThat(all).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(sums()).isEqualTo(sums);
    assertThat(world.totals.begins).isEqualTo(1);
  }

  /** A run that was woken reads the roll-up, by which it knows that the counter waits. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void run_sumsItIfItIsOfTheScheduleAndEnds(boolean wakeUp) {
    promised();
    int sums = sums();

    assertThat(run(wakeUp, 5)).containsExactly("IDLE");

    assertThat(sums() - sums).isEqualTo(wakeUp ? 0 : 1);
    assertShown(wakeUp ? 2 : 3);
  }

  /** Until it ends, the run does nothing more for it. */
  @Test
  void runThatHasSummedIt_leavesIt() {
    promised();
    assertThat(run(/* wakeUp= */ false, 1)).isEmpty();
    int sums = sums();
    int reads = world.calls.of(Call.READ);

    world.time.pass(Duration.ofSeconds(1));

    assertThat(sums()).isEqualTo(sums);
    assertThat(world.calls.of(Call.READ)).isEqualTo(reads);
  }

  @Test
  void scheduledRuns_settleItOnceItIsQuiet() {
    promised();
    int sums = sums();

    for (int i = 0; i < 4; i++) {
      run(/* wakeUp= */ false, 60);
    }

    assertThat(rollup().liveUntil()).isEmpty();
    assertThat(sums() - sums).isLessThanOrEqualTo(4);
    assertThat(world.totals.isLive(LIKES)).isFalse();
  }
}
