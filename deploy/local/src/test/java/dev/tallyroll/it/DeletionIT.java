package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Counters that go, and come again. */
@On(Site.SHARED)
final class DeletionIT {
  private static final int SHARDS = 3;

  private final Lab lab;

  DeletionIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void quietCounter_whenDeleted_losesItsRollup() throws Exception {
    var counter = lab.counter().create(SHARDS);
    counter.increment(0, 5);
    counter.awaitSettled(5L);

    counter.delete();

    counter.awaitNoRollup();
  }

  @Test
  void liveCounter_whenDeleted_losesItsRollup() throws Exception {
    var counter = lab.counter().create(SHARDS);
    try (var burst = Burst.start(counter, SHARDS, 20)) {
      await("a lease").until(counter::shown, shown -> shown.filter(Shown::isLive).isPresent());
      burst.stop();
    }

    counter.delete();

    counter.awaitNoRollup();
  }

  @Test
  void counterCreatedAgain_startsAtZero() throws Exception {
    var counter = lab.counter().create(SHARDS);
    counter.increment(0, 5);
    counter.awaitTotal(5L);
    counter.delete();
    counter.awaitNoRollup();

    counter.create(SHARDS);
    counter.increment(2, 1);

    assertThat(counter.awaitSettled(1L).shards()).isEqualTo(SHARDS);
  }

  @Test
  void counterDeletedAndCreatedAtOnce_showsTheNewOne() throws Exception {
    var counter = lab.counter().create(SHARDS);
    counter.increment(0, 5);
    counter.awaitTotal(5L);

    counter.delete();
    counter.create(SHARDS);
    counter.increment(1, 3);

    assertThat(counter.awaitSettled(3L).shards()).isEqualTo(SHARDS);
  }
}
