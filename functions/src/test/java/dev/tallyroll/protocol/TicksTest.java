package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TicksTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void next_isAlignedToTheClock() {
    assertThat(Ticks.next(T.plusMillis(1), SECOND)).isEqualTo(T.plusSeconds(1));
    assertThat(Ticks.next(T.plusMillis(999), SECOND)).isEqualTo(T.plusSeconds(1));
    assertThat(Ticks.next(T, SECOND)).isEqualTo(T.plusSeconds(1));
    assertThat(Ticks.next(T.plusMillis(310), Duration.ofMillis(250))).isEqualTo(T.plusMillis(500));
  }

  @Test
  void missed_countsTheTicksBetween() {
    assertThat(Ticks.missed(T, T.plusSeconds(1), SECOND)).isZero();
    assertThat(Ticks.missed(T, T.plusSeconds(4), SECOND)).isEqualTo(3);
    assertThat(Ticks.missed(T, T.plusMillis(200), SECOND)).isZero();
  }
}
