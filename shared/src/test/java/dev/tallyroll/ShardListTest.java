package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShardListTest {

  private static Total add(@Nullable Object... values) {
    return ShardList.add(Arrays.asList(values));
  }

  @Test
  void integers_stayExact() {
    assertThat(add(1L, 2L, -5L)).isEqualTo(new Total.Whole(-2));
    assertThat(add(Long.MAX_VALUE, 1L, -2L)).isEqualTo(new Total.Whole(Long.MAX_VALUE - 1));
    assertThat(ShardList.add(List.of())).isEqualTo(new Total.Whole(0));
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
}
