package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferOptionsTest {
  private final BufferOptions.Builder builder = BufferOptions.builder();

  @Test
  void options_areThoseThatWereSet() {
    BufferObserver observer = new BufferObserver() {};
    BufferOptions options =
        builder
            .maxDelay(BufferOptions.SHORTEST_DELAY)
            .maxPending(1)
            .maxCounters(BufferOptions.MOST)
            .closeTimeout(Duration.ZERO)
            .exactlyOnce(true)
            .observer(observer)
            .build();

    assertThat(options.maxDelay()).isEqualTo(Duration.ofMillis(10));
    assertThat(options.maxPending()).isEqualTo(1);
    assertThat(options.maxCounters()).isEqualTo(1_000_000);
    assertThat(options.closeTimeout()).isEqualTo(Duration.ZERO);
    assertThat(options.exactlyOnce()).isTrue();
    assertThat(options.observer()).isSameAs(observer);
    assertThat(BufferOptions.DEFAULT.exactlyOnce()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT-1S", "PT0S", "PT0.009S", "PT1M0.001S", "PT1H"})
  void delayTooShortOrTooLong_isRefused(Duration delay) {
    assertThatIllegalArgumentException()
        .isThrownBy(builder.maxDelay(delay)::build)
        .withMessage("max delay: expected PT0.01S to PT1M; found " + delay);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1_000_001})
  void numbersOutOfRange_areRefused(int number) {
    assertThatIllegalArgumentException()
        .isThrownBy(BufferOptions.builder().maxPending(number)::build)
        .withMessage("max pending: expected 1 to 1000000; found " + number);
    assertThatIllegalArgumentException()
        .isThrownBy(builder.maxCounters(number)::build)
        .withMessage("max counters: expected 1 to 1000000; found " + number);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT-0.001S", "PT10M0.001S"})
  void closeTimeoutOutOfRange_isRefused(Duration timeout) {
    assertThatIllegalArgumentException()
        .isThrownBy(builder.closeTimeout(timeout)::build)
        .withMessage("close timeout: expected PT0S to PT10M; found " + timeout);
  }

  @Test
  @SuppressWarnings("NullAway") // as a caller without the check
  void delayOfNone_isRefusedByName() {
    assertThatNullPointerException()
        .isThrownBy(builder.maxDelay(null)::build)
        .withMessage("max delay: expected a value; found null");
  }
}
