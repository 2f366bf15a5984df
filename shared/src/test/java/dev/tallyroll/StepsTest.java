package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFutures;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StepsTest {
  private static final CounterPath LIKES = CounterPath.of("likes");

  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void refusedAttempt_isRepeated() throws Exception {
    var result =
        Steps.attempt(
            LIKES,
            () ->
                ApiFutures.immediateFuture(
                    Optional.of(attempts.incrementAndGet()).filter(number -> number == 3)));

    assertThat(result.get()).isEqualTo(3);
  }

  @Test
  void refusalsWithoutEnd_giveUp() {
    var result =
        Steps.attempt(
            LIKES,
            () -> {
              attempts.incrementAndGet();
              return ApiFutures.immediateFuture(Optional.empty());
            });

    assertThatThrownBy(result::get)
        .hasCauseInstanceOf(CounterException.Busy.class)
        .hasMessageContaining("counter likes: expected one of 5 attempts");
    assertThat(attempts).hasValue(Steps.MOST_ATTEMPTS);
  }

  @Test
  void failedAttempt_isNotRepeated() {
    var result =
        Steps.attempt(
            LIKES,
            () -> {
              attempts.incrementAndGet();
              return ApiFutures.immediateFailedFuture(new IllegalStateException("lost"));
            });

    assertThatThrownBy(result::get).hasRootCauseMessage("lost");
    assertThat(attempts).hasValue(1);
  }
}
