package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BackoffTest {
  private final Backoff backoff = Backoff.LOCAL;

  @Test
  void wait_doublesUpToLongest() {
    assertThat(IntStream.rangeClosed(1, 9).mapToObj(backoff::after).map(Duration::toMillis))
        .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 10_000L, 10_000L);
  }

  @Test
  void wait_afterManyFailures_isLongest() {
    assertThat(backoff.after(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void delivery_isGivenUpAfterADay() {
    assertThat(backoff.givesUp(Duration.ofHours(24))).isFalse();
    assertThat(backoff.givesUp(Duration.ofHours(24).plusMillis(1))).isTrue();
  }

  @Test
  void waitOfZero_isRefused() {
    assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofSeconds(1), Duration.ofHours(1)))
        .hasMessageContaining("PT0S");
  }
}
