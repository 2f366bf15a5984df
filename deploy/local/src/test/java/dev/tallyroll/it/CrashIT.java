package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;

import dev.tallyroll.local.FunctionServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Functions that are killed in the middle of their work. */
@On(Site.LONE)
final class CrashIT {
  private static final int SHARDS = 5;
  private static final int PER_SECOND = 20;

  private final Lab lab;

  CrashIT(Lab lab) {
    this.lab = lab;
  }

  @AfterEach
  void reviveAll() {
    for (var function : new FunctionServer[] {lab.cloud().rollUp(), lab.cloud().onShardWritten()}) {
      if (!function.isAlive()) {
        function.restart();
      }
    }
  }

  @Test
  void killedRoller_losesNothingAndTheNextRunShowsTheEnd() throws Exception {
    var counter = lab.counter().create(SHARDS);
    try (var reader = Reader.start(counter);
        var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("a run").until(() -> !lab.holder(0).isEmpty() && counter.shows(PER_SECOND));
      lab.cloud().rollUp().kill();
      long sent = burst.stop();
      await("all events to be handled").until(lab.cloud()::quiet);

      lab.cloud().rollUp().restart();

      lab.tickUntil("the end of the burst to show", () -> counter.isSettled(sent));
      reader.stopNeverGoneBack();
    }
  }

  @Test
  void killedHandler_isGivenItsEventsAgain() throws Exception {
    var counter = lab.counter().create(SHARDS);
    try (var burst = Burst.start(counter, SHARDS, PER_SECOND)) {
      await("some total").until(() -> counter.shows(1));
      lab.cloud().onShardWritten().kill();
      counter.deleteShard(0);
      burst.stop();
    }
    counter.increment(1, 1);

    lab.cloud().onShardWritten().restart();

    // It may have died between its write and the wake-up.
    long total = counter.sumOfShards();
    lab.tickUntil("all events to be made up for", () -> counter.isSettled(total));
  }
}
