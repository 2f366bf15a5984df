package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.Counter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArgumentsTest {

  @Test
  void deltasUpToTheLimit_areTaken() {
    assertThat(Arguments.delta(Counter.MOST_DELTA)).isEqualTo(1L << 40);
    assertThat(Arguments.delta(-Counter.MOST_DELTA)).isEqualTo(-(1L << 40));
    assertThat(Arguments.delta(0.5)).isEqualTo(0.5);
    assertThat(Arguments.delta(0)).isEqualTo(0);
  }

  static Stream<Number> unusableDeltas() {
    return Stream.of(
        (1L << 40) + 1,
        -(1L << 40) - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.MAX_VALUE,
        1.1e12);
  }

  @ParameterizedTest
  @MethodSource("unusableDeltas")
  void unusableDeltas_areRefused(Number delta) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Arguments.delta(delta))
        .withMessage("delta: expected a finite number from -2^40 to 2^40; found " + delta);
  }
}
