package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BilledTimeTest {
  private final BilledTime time = new BilledTime();

  private static long ms(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private void request(long from, long to) {
    time.begin(ms(from));
    time.end(ms(to));
  }

  @Test
  void shortRequest_isBilledForASlot() {
    request(0, 3);

    assertThat(time.seconds(ms(500))).isEqualTo(0.1);
  }

  @Test
  void requestWithinABilledSlot_isFree() {
    request(0, 3);
    request(20, 30);
    request(250, 260);

    assertThat(time.seconds(ms(500))).isEqualTo(0.2);
  }

  @Test
  void requestAtTheEndOfASlot_isBilledForTheNext() {
    request(0, 3);
    request(90, 130);

    assertThat(time.seconds(ms(500))).isEqualTo(0.2);
  }

  @Test
  void requestsAtOnce_shareTheirTime() {
    time.begin(ms(0));
    request(20, 90);
    time.begin(ms(95));
    time.end(ms(150));

    assertThat(time.seconds(ms(170))).as("one goes on").isEqualTo(0.17);
    time.end(ms(201));
    assertThat(time.seconds(ms(900))).isEqualTo(0.3);
  }
}
