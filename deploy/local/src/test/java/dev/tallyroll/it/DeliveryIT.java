package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Events that come twice, late, and in any order. Other tests' events do so too meanwhile, and must
 * not mind.
 */
@On(Site.SHARED)
final class DeliveryIT {
  private static final int SHARDS = 4;
  private static final DeliveryFaults FAULTS =
      DeliveryFaults.duplicating(0.5, 7).and(DeliveryFaults.reordering(Duration.ofMillis(800), 7));

  private final Lab lab;

  DeliveryIT(Lab lab) {
    this.lab = lab;
  }

  @AfterEach
  void injectNothing() {
    lab.cloud().deliveries().inject(DeliveryFaults.NONE);
  }

  @Test
  void duplicatesInAnyOrder_changeNothing() throws Exception {
    long before = lab.cloud().deliveries().count(Occurrence.EVENT_DOUBLED);
    lab.cloud().deliveries().inject(FAULTS);
    var counter = lab.counter().create(SHARDS);
    try (var reader = Reader.start(counter);
        var burst = Burst.start(counter, SHARDS, 20)) {
      await("some totals").until(() -> reader.seen().size() >= 4);
      long sent = burst.stop();

      counter.awaitSettled(sent);

      reader.stopNeverGoneBack();
    }
    assertThat(lab.cloud().deliveries().count(Occurrence.EVENT_DOUBLED)).isGreaterThan(before);

    counter.deleteShard(0);
    counter.increment(1, -1000);

    counter.awaitSettled(counter.sumOfShards());
  }
}
