package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import org.junit.jupiter.api.Test;

class RiseTest {
  private static final long EXACT = 1L << 53;

  @Test
  void numbers_areOrderedByWhatTheyStandFor() {
    assertRising(
        Double.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        Long.MIN_VALUE,
        -1.5,
        -1L,
        0L,
        Double.MIN_VALUE,
        1L,
        1.5,
        EXACT,
        EXACT + 1,
        EXACT + 2.0,
        EXACT + 3,
        Long.MAX_VALUE,
        0x1p63,
        Double.POSITIVE_INFINITY);
  }

  @Test
  void timestamps_areOrderedByTime() {
    assertRising(
        Timestamp.MIN_VALUE,
        Timestamp.ofTimeSecondsAndNanos(-1, 999_999_000),
        Timestamp.ofTimeSecondsAndNanos(0, 0),
        Timestamp.MAX_VALUE);
  }

  private static void assertRising(Object... values) {
    for (int one = 0; one < values.length; one++) {
      for (int other = 0; other < values.length; other++) {
        assertThat(Integer.signum(new Rise(values[one]).compareTo(new Rise(values[other]))))
            .as("%s and %s", values[one], values[other])
            .isEqualTo(Integer.compare(one, other));
      }
    }
  }

  @Test
  void equalNumbers_areEqualInOrder() {
    assertThat(new Rise(2L)).isEqualByComparingTo(new Rise(2.0));
    assertThat(new Rise(0.0)).isEqualByComparingTo(new Rise(-0.0));
  }

  @Test
  void otherValues_areRefused() {
    assertThatThrownBy(() -> new Rise(Double.NaN)).hasMessageContaining("found NaN");
    assertThatThrownBy(() -> new Rise("7")).hasMessageContaining("found 7");
  }
}
