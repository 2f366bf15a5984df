package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.Operations;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** When a roller runs, and when it rests. */
@On(Site.LONE)
@ResourceLock("LONE")
@Execution(ExecutionMode.CONCURRENT)
final class RunsIT {
  private static final int SHARDS = 5;
  private static final int PER_SECOND = 20;
  private static final int IDLE_TICKS = 3;

  private static final Operations ONE_READ = new Operations(1, 0, 0, 0);

  private final Bench bench;

  RunsIT(Bench bench) {
    this.bench = bench;
  }

  @BeforeEach
  void startFromRest() throws Exception {
    bench.settleAll();
  }

  @Test
  void burstAfterRest_wakesTheRollerAndSettlesWithoutSchedule() throws Exception {
    var counter = bench.counter().create(SHARDS);
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      Await.until("a run", () -> !bench.holder(0).isEmpty());
      long sent = burst.stop();

      counter.awaitSettled(sent);
    }
    bench.awaitIdle();
  }

  @Test
  void newerRuns_takeOverAndChangeNothing() throws Exception {
    var counter = bench.counter().create(SHARDS);
    try (var reader = Reader.start(counter);
        var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      var first = Await.until("a run", () -> bench.holder(0), holder -> !holder.isEmpty());

      bench.cloud().tick();
      bench.cloud().tick();

      Await.until(
          "one other run to be left",
          () -> !bench.holder(0).equals(first) && bench.cloud().runsUnderway() == 1);
      assertThat(bench.holder(0)).isNotEmpty();
      long sent = burst.stop();
      counter.awaitSettled(sent);
      reader.stopNeverGoneBack();
    }
  }

  @Test
  void runWithoutIncrements_writesNothingButItsOwnDocument() throws Exception {
    var counter = bench.counter();
    counter.increment(0, 1);
    counter.awaitSettled(1L);
    var settled = bench.versions();

    bench.awaitIdle();

    assertThat(bench.versions()).isEqualTo(settled);
  }

  @Test
  void scheduledRunsOfIdleSystem_sumAndWriteNothing() throws Exception {
    var cloud = bench.cloud();
    bench.awaitLogged(cloud.rollUp(), cloud::tick, ONE_READ);
    var before = cloud.operations();
    long events = cloud.deliveries().counts().submitted();

    for (int tick = 0; tick < IDLE_TICKS; tick++) {
      bench.awaitLogged(cloud.rollUp(), cloud::tick, ONE_READ);
    }

    var done = cloud.operations().minus(before);
    assertThat(done).isEqualTo(new Operations(done.reads(), 0, 0, 0));
    assertThat(cloud.deliveries().counts().submitted()).isEqualTo(events);
  }

  @Test
  void functionsOwnWrites_areNoEvents() throws Exception {
    long before = bench.cloud().deliveries().counts().submitted();
    var counter = bench.counter();
    for (int shard = 0; shard < SHARDS; shard++) {
      counter.increment(shard, 1);
    }

    counter.awaitSettled((long) SHARDS);

    bench.awaitIdle();
    assertThat(bench.cloud().deliveries().counts().submitted()).isEqualTo(before + SHARDS);
  }
}
