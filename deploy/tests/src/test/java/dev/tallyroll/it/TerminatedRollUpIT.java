package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The platform ends an instance of RollUp in the middle of its run. Seeds play that, too. */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class TerminatedRollUpIT {
  private static final int SHARDS = 2;
  private static final int PER_SECOND = 20;

  private final TestCloud cloud;

  TerminatedRollUpIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  /** RollUp gives up its run at once; its claim would end only after 25 s. The next run goes on. */
  @Test
  void terminatedRollUp_givesUpItsRun() throws Exception {
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
