package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.Operations;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The times at which a roller runs and rests, and totals without a roller. */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class RunsIT {
  private static final int SHARDS = 5;
  private static final int PER_SECOND = 20;
  private static final int IDLE_TICKS = 3;
  private static final int FROZEN_SECONDS = Integer.getInteger("frozen.seconds", 12);
  private static final int QUIET_INCREMENTS = 3;
  private static final Duration MORE_THAN_A_TICK = Duration.ofMillis(750);
  private static final Operations ONE_READ = new Operations(1, 0, 0, 0);

  private final TestCloud cloud;
  private final Counter counter;

  RunsIT(TestCloud cloud) {
    this.cloud = cloud;
    this.counter = cloud.counter();
  }

  @BeforeEach
  void startFromRest() throws Exception {
    cloud.settleAll();
    counter.create(SHARDS);
  }

  @Test
  void newerRuns_takeOverAndChangeNothing() throws Exception {
    try (var reader = new Reader(counter);
        var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      var first = await("a run").until(() -> cloud.holder(0), holder -> !holder.isEmpty());

      cloud.local().tick();
      cloud.local().tick();

      await("one other run to be left")
          .until(() -> !cloud.holder(0).equals(first) && cloud.local().runsUnderway() == 1);
      assertThat(cloud.holder(0)).isNotEmpty();
      long sent = burst.stop();
      cloud.tickUntil("the end of the burst to show", () -> counter.isSettled(sent));
      reader.stopNeverGoneBack();
    }
  }

  /** It is frozen for longer than a call may take: its calls fail, and its clock jumps. */
  @Test
  void rollerThatWasFrozen_goesOn() throws Exception {
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a run").until(() -> !cloud.holder(0).isEmpty());

      signal("STOP");
      TimeUnit.SECONDS.sleep(FROZEN_SECONDS);
      signal("CONT");

      counter.awaitSettled(burst.stop());
    }
  }

  private void signal(String name) throws Exception {
    long pid = cloud.local().rollUp().pid();
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor())
        .isZero();
  }

  @Test
  void runsWithoutIncrements_sumAndWriteNothing() throws Exception {
    var local = cloud.local();
    counter.increment(0, 1);
    counter.awaitSettled(1L);
    var settled = cloud.versions();
    cloud.awaitIdle();
    cloud.awaitDone(local.rollUp(), local::tick, ONE_READ);
    var before = local.operations();

    for (int tick = 0; tick < IDLE_TICKS; tick++) {
      cloud.awaitDone(local.rollUp(), local::tick, ONE_READ);
    }

    var done = local.operations().minus(before);
    assertThat(done).isEqualTo(new Operations(done.reads(), 0, 0, 0));
    assertThat(cloud.versions()).isEqualTo(settled);
    cloud.awaitEvents();
    assertThat(cloud.changed())
        .as("the functions' own writes are no events")
        .contains(counter.shard(0).getPath())
        .doesNotContain(cloud.layout().runDocument("0"))
        .noneMatch(document -> cloud.layout().counterOfRollup(document).isPresent());
  }

  /**
   * The roller gives up its run at once; its claim would end only after 25 s. Without it,
   * increments of a quiet counter, and the first of a burst, show by their events. The next run
   * goes on.
   */
  @Test
  void terminatedRoller_isMissedByLiveCountersOnly() throws Exception {
    var quiet = cloud.counter().create(SHARDS);
    var settled = quiet.awaitSettled(0L);
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      var first = await("a run").until(() -> cloud.holder(0), holder -> !holder.isEmpty());

      cloud.local().rollUp().terminate();

      await("the run to be given up").until(() -> !cloud.holder(0).equals(first));
      for (long total = 1; total <= QUIET_INCREMENTS; total++) {
        awaitQuiet(quiet);
        quiet.increment(0, 1);
        assertThat(quiet.awaitTotal(total).liveUntil()).isEqualTo(settled.liveUntil());
      }
      awaitQuiet(quiet);
      try (var another = Burst.start(quiet, SHARDS, PER_SECOND)) {
        await("a first total").until(() -> quiet.shows(QUIET_INCREMENTS + 1));
        another.stop();
      }
      cloud.local().rollUp().restart();
      await("the next run, woken by an event").until(() -> !cloud.holder(0).isEmpty());
      counter.awaitSettled(burst.stop());
    }
  }

  /** Waits for more than a tick after the last write, so that the next increment is no burst. */
  private static void awaitQuiet(Counter counter) throws Exception {
    var updated = counter.shown().orElseThrow().updated().toDate().toInstant();
    await("a tick without a write")
        .until(() -> Instant.now().isAfter(updated.plus(MORE_THAN_A_TICK)));
  }
}
