package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TotalTest {

  private static Total add(@Nullable Object... values) {
    return Total.add(Arrays.asList(values));
  }

  @Test
  void integers_stayExact() {
    assertThat(add(1L, 2L, -5L)).isEqualTo(new Total.Whole(-2));
    assertThat(add(Long.MAX_VALUE, 1L, -2L)).isEqualTo(new Total.Whole(Long.MAX_VALUE - 1));
    assertThat(Total.add(List.of())).isEqualTo(new Total.Whole(0));
  }

  @Test
  void oneDouble_makesTheSumADouble() {
    assertThat(add(1L, 2.0)).isEqualTo(new Total.Fraction(3.0));
  }

  @Test
  void whatIsNoNumber_isPassedOver() {
    assertThat(add(1L, "7", null, true)).isEqualTo(new Total.Whole(1));
  }

  @Test
  void sumsPastTheRange_areUnusable() {
    assertThat(add(Long.MAX_VALUE, 1L).isUsable()).isFalse();
    assertThat(add(Long.MIN_VALUE, -1L).isUsable()).isFalse();
    assertThat(add(1L, Double.NaN).isUsable()).isFalse();
    assertThat(add(1L, Double.NEGATIVE_INFINITY).isUsable()).isFalse();
    assertThat(add(1L, 1e18).isUsable()).isTrue();
  }

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
}
