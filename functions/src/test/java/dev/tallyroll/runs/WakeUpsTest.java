package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Wake-ups of one instance of a handler. */
class WakeUpsTest {
  private static final String FIRST_WORKERS = "0000";
  private static final String SECOND_WORKERS = "ffff";

  private final List<String> sent = new ArrayList<>();
  private final Loop loop = new Loop();
  private final WakeUps wakeUps =
      WakeUps.shared(
          liveId -> {
            sent.add(liveId);
            return CompletableFuture.completedFuture(null);
          },
          /* workers= */ 2,
          loop);

  /** Pauses end when a test says so. */
  private static final class Loop extends StillLoop {
    final List<Duration> delays = new ArrayList<>();
    final List<CompletableFuture<Void>> pauses = new ArrayList<>();

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      delays.add(delay);
      pauses.add(new CompletableFuture<>());
      return pauses.get(pauses.size() - 1);
    }
  }

  @Test
  void manyAtOnce_areOneMessageASecond() {
    assertThat(wakeUps.wake(FIRST_WORKERS)).isCompleted();
    var later = wakeUps.wake(FIRST_WORKERS + 1);
    var last = wakeUps.wake(FIRST_WORKERS + 2);

    assertThat(sent).containsExactly(FIRST_WORKERS);
    assertThat(later).as("its instance would be frozen before the message").isNotCompleted();
    assertThat(loop.delays).containsExactly(Duration.ofSeconds(1));

    loop.pauses.get(0).complete(null);

    assertThat(sent).containsExactly(FIRST_WORKERS, FIRST_WORKERS + 1);
    assertThat(later).isCompleted();
    assertThat(last).isCompleted();
    loop.pauses.get(1).complete(null);
    assertThat(sent).hasSize(2);
  }

  @Test
  void workers_waitForNoOther() {
    assertThat(wakeUps.wake(FIRST_WORKERS)).isCompleted();
    assertThat(wakeUps.wake(SECOND_WORKERS)).isCompleted();

    assertThat(sent).containsExactly(FIRST_WORKERS, SECOND_WORKERS);
  }
}
