package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.Operations;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a roller runs, and when it rests. */
@On(Site.LONE)
final class RunsIT {
  private static final int SHARDS = 5;
  private static final int PER_SECOND = 20;
  private static final int IDLE_TICKS = 3;

  private static final Operations ONE_READ = new Operations(1, 0, 0, 0);

  private final Lab lab;

  RunsIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void startFromRest() throws Exception {
    lab.settleAll();
  }

  @Test
  void burstAfterRest_wakesTheRollerAndSettlesWithoutSchedule() throws Exception {
    var counter = lab.counter().create(SHARDS);
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a run").until(() -> !lab.holder(0).isEmpty());
      long sent = burst.stop();

      counter.awaitSettled(sent);
    }
    lab.awaitIdle();
  }

  @Test
  void newerRuns_takeOverAndChangeNothing() throws Exception {
    var counter = lab.counter().create(SHARDS);
    try (var reader = Reader.start(counter);
        var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      var first = await("a run").until(() -> lab.holder(0), holder -> !holder.isEmpty());

      lab.cloud().tick();
      lab.cloud().tick();

      await("one other run to be left")
          .until(() -> !lab.holder(0).equals(first) && lab.cloud().runsUnderway() == 1);
      assertThat(lab.holder(0)).isNotEmpty();
      long sent = burst.stop();
      lab.tickUntil("the end of the burst to show", () -> counter.isSettled(sent));
      reader.stopNeverGoneBack();
    }
  }

  @Test
  void runWithoutIncrements_writesNothingButItsOwnDocument() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 1);
    counter.awaitSettled(1L);
    var settled = lab.versions();

    lab.awaitIdle();

    assertThat(lab.versions()).isEqualTo(settled);
  }

  @Test
  void scheduledRunsOfIdleSystem_sumAndWriteNothing() throws Exception {
    var cloud = lab.cloud();
    lab.awaitLogged(cloud.rollUp(), cloud::tick, ONE_READ);
    var before = cloud.operations();

    for (int tick = 0; tick < IDLE_TICKS; tick++) {
      lab.awaitLogged(cloud.rollUp(), cloud::tick, ONE_READ);
    }

    var done = cloud.operations().minus(before);
    assertThat(done).isEqualTo(new Operations(done.reads(), 0, 0, 0));
  }

  @Test
  void sweep_putsRightWhatWasChangedByHand() throws Exception {
    var wrong = lab.counter();
    var deleted = lab.counter("rooms/swept").create(SHARDS);
    wrong.increment(0, 3);
    deleted.increment(0, 4);
    wrong.awaitSettled(3L);
    deleted.awaitSettled(4L);
    wrong.showInstead(99);
    deleted.deleteRollup();

    lab.cloud().sweep();

    wrong.awaitTotal(3L);
    deleted.awaitSettled(4L);
  }

  @Test
  void functionsOwnWrites_areNoEvents() throws Exception {
    var counter = lab.counter().create(SHARDS);
    counter.increment(0, 1);

    counter.awaitSettled(1L);
    lab.awaitIdle();
    lab.awaitEvents();

    assertThat(lab.changed())
        .contains(counter.shard(0).getPath())
        .doesNotContain(lab.layout().runDocument(0))
        .noneMatch(document -> lab.layout().counterOfRollup(document).isPresent());
  }
}
