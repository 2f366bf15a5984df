package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StepsTest {
  private static final CounterPath LIKES = CounterPath.of("likes");

  private static final ApiFuture<Optional<Integer>> REFUSED =
      ApiFutures.immediateFuture(Optional.empty());

  private int attempts;

  private ApiFuture<Integer> attempt(ApiFuture<Optional<Integer>> first, int successful) {
    return Steps.attempt(
        LIKES,
        () -> ++attempts < successful ? first : ApiFutures.immediateFuture(Optional.of(attempts)));
  }

  @Test
  void refusedAttempt_isRepeated() throws Exception {
    assertThat(attempt(REFUSED, 3).get()).isEqualTo(3);
  }

  @Test
  void refusalsWithoutEnd_giveUp() {
    assertThatThrownBy(attempt(REFUSED, Integer.MAX_VALUE)::get)
        .hasCauseInstanceOf(CounterException.Busy.class)
        .hasMessageContaining("counter likes: expected one of 5 attempts");
    assertThat(attempts).isEqualTo(Steps.MOST_ATTEMPTS);
  }

  @Test
  void failedAttempt_isNotRepeated() {
    var failed = ApiFutures.<Optional<Integer>>immediateFailedFuture(new IOException("lost"));

    assertThatThrownBy(attempt(failed, 3)::get).hasRootCauseMessage("lost");
    assertThat(attempts).isEqualTo(1);
  }
}
