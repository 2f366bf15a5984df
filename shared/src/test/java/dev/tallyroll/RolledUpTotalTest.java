package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RolledUpTotalTest {
  private static final RolledUpTotal LIVE =
      RolledUpTotal.of(new Total.Whole(42), Instant.EPOCH, true);

  @Test
  void total_saysWhatItIs() {
    assertThat(LIVE).hasToString("42 as of 1970-01-01T00:00:00Z, live");
    assertThat(RolledUpTotal.NONE).hasToString("none");
    assertThat(CounterTotal.of(CounterPath.of("likes"), LIVE)).hasToString("likes: " + LIVE);
  }

  @Test
  void totalOfZero_existsWhereThereIsARollup() {
    RolledUpTotal zero = RolledUpTotal.of(new Total.Whole(0), Instant.EPOCH, false);

    assertThat(zero.exists()).isTrue();
    assertThat(RolledUpTotal.NONE.exists()).isFalse();
    assertThat(zero).isNotEqualTo(RolledUpTotal.NONE);
    assertThat(RolledUpTotal.NONE.longValue()).isZero();
  }

  @Test
  void equalTotals_areEqual() {
    RolledUpTotal same = RolledUpTotal.of(new Total.Whole(42), Instant.EPOCH, true);

    assertThat(same).isEqualTo(LIVE).hasSameHashCodeAs(LIVE);
    assertThat(RolledUpTotal.of(new Total.Whole(42), Instant.EPOCH, false)).isNotEqualTo(LIVE);
    assertThat(CounterTotal.of(CounterPath.of("likes"), LIVE))
        .isEqualTo(CounterTotal.of(CounterPath.of("likes"), same))
        .isNotEqualTo(CounterTotal.of(CounterPath.of("votes"), same));
  }
}
