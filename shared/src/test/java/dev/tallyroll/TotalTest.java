package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TotalTest {

  @Test
  void total_isReadAsAWholeNumberOrAFraction() {
    assertThat(new Total.Whole(Long.MAX_VALUE).longValue()).isEqualTo(Long.MAX_VALUE);
    assertThat(new Total.Whole(3).doubleValue()).isEqualTo(3.0);
    assertThat(new Total.Fraction(-2.75).longValue()).isEqualTo(-2);
    assertThat(new Total.Fraction(-2.75).doubleValue()).isEqualTo(-2.75);
  }

  @Test
  void unusableTotal_isNoWholeNumber() {
    assertThatThrownBy(() -> new Total.Fraction(Double.NaN).longValue())
        .isInstanceOf(ArithmeticException.class)
        .hasMessage("total: expected a number below 2^63; found NaN");
    assertThatThrownBy(() -> new Total.Fraction(0x1p63).longValue())
        .isInstanceOf(ArithmeticException.class);
    assertThat(new Total.Fraction(Double.NaN).doubleValue()).isNaN();
  }

  @Test
  void rolledUpTotal_saysWhatItIs() {
    assertThat(new RolledUpTotal(new Total.Whole(42), Instant.EPOCH, true))
        .hasToString("42 as of 1970-01-01T00:00:00Z, live");
    assertThat(RolledUpTotal.NONE.longValue()).isZero();
  }
}
