package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;

import org.junit.jupiter.api.Test;

/** The end of an instance of the roller. */
@On(Site.LONE)
final class RunsIT {
  private static final int SHARDS = 5;
  private static final int PER_SECOND = 20;

  private final TestCloud cloud;

  RunsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  /**
   * The roller gives up its run at once; its claim would end only after 25 s. The next run goes on.
   */
  @Test
  void terminatedRoller_givesUpItsRun() throws Exception {
    cloud.settleAll();
    var counter = cloud.counter().create(SHARDS);
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      var first = await("a run").until(() -> cloud.holder(0), holder -> !holder.isEmpty());

      cloud.local().rollUp().terminate();

      await("the run to be given up").until(() -> !cloud.holder(0).equals(first));
      cloud.local().rollUp().restart();
      await("the next run, woken by an event").until(() -> !cloud.holder(0).isEmpty());
      counter.awaitSettled(burst.stop());
    }
  }
}
