package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the handler does all by itself: here there is no roller. */
@On(Site.LONE)
final class QuietIT {
  private static final Duration MORE_THAN_A_TICK = Duration.ofMillis(750);
  private static final int INCREMENTS = 3;

  private final Lab lab;

  QuietIT(Lab lab) {
    this.lab = lab;
  }

  @BeforeEach
  void killRoller() throws Exception {
    lab.settleAll();
    lab.cloud().rollUp().kill();
  }

  @AfterEach
  void restartRoller() {
    lab.cloud().rollUp().restart();
  }

  @Test
  void incrementsOfQuietCounter_showWithoutRoller() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 1);
    var first = counter.awaitTotal(1L);

    for (long total = 2; total <= INCREMENTS; total++) {
      awaitQuiet(counter);
      counter.increment(0, 1);
      assertThat(counter.awaitTotal(total).liveUntil()).isEqualTo(first.liveUntil());
    }
  }

  @Test
  void leadingEdgeOfBurst_showsWithoutRoller() throws Exception {
    var counter = lab.counter().create(2);
    counter.awaitTotal(0L);
    awaitQuiet(counter);

    try (var burst = Burst.start(counter, 2, 20)) {
      await("a first total").until(() -> counter.shows(1));
      burst.stop();
    }
  }

  /** Increments further apart than a tick are no burst. */
  private static void awaitQuiet(Counter counter) throws Exception {
    await("a tick without a write")
        .until(
            () -> {
              var updated = counter.shown().orElseThrow().updated();
              return Instant.now()
                  .isAfter(
                      Instant.ofEpochSecond(updated.getSeconds(), updated.getNanos())
                          .plus(MORE_THAN_A_TICK));
            });
  }
}
