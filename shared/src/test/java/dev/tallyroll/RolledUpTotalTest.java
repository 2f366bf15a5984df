package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
  void average_isThatOfTheSummed() {
    assertThat(average(new Total.Whole(7), 2)).isEqualTo(3.5);
    assertThat(average(new Total.Fraction(-1.5), 3)).isEqualTo(-0.5);
    assertThat(average(new Total.Whole(Long.MAX_VALUE), 1)).isEqualTo(0x1p63);
    assertThat(LIVE.number()).isEqualTo(1);
    assertThat(LIVE.average()).isEqualTo(42);
  }

  @Test
  void averageOfNone_isZero() {
    assertThat(RolledUpTotal.NONE.number()).isZero();
    assertThat(RolledUpTotal.NONE.average()).isZero();
    assertThat(average(new Total.Whole(0), 0)).isZero();
    assertThat(average(new Total.Fraction(Double.NaN), 0)).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.NEGATIVE_INFINITY, 0x1p63})
  void averageOfWhatIsNoTotal_isRefused(double sum) {
    assertThatThrownBy(() -> average(new Total.Fraction(sum), 2))
        .isInstanceOf(ArithmeticException.class)
        .hasMessage("average: expected a total below 2^63; found " + sum);
  }

  private static double average(Total total, long number) {
    return RolledUpTotal.of(total, number, Instant.EPOCH, false).average();
  }

  /** Somebody else has written it. */
  @Test
  void numberBelowZero_isZero() {
    RolledUpTotal damaged = RolledUpTotal.of(new Total.Whole(4), -1, Instant.EPOCH, false);

    assertThat(damaged.number()).isZero();
    assertThat(damaged.average()).isZero();
  }

  @Test
  void equalTotals_areEqual() {
    RolledUpTotal same = RolledUpTotal.of(new Total.Whole(42), Instant.EPOCH, true);

    assertThat(same).isEqualTo(LIVE).hasSameHashCodeAs(LIVE);
    assertThat(RolledUpTotal.of(new Total.Whole(42), Instant.EPOCH, false)).isNotEqualTo(LIVE);
    assertThat(RolledUpTotal.of(new Total.Whole(42), 2, Instant.EPOCH, true)).isNotEqualTo(LIVE);
    assertThat(CounterTotal.of(CounterPath.of("likes"), LIVE))
        .isEqualTo(CounterTotal.of(CounterPath.of("likes"), same))
        .isNotEqualTo(CounterTotal.of(CounterPath.of("votes"), same));
  }
}
