package dev.tallyroll.local.up;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.functions.GoogleClients;
import dev.tallyroll.local.up.LiveCounters.Worker;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Firestore refuses every call of a worker for a while, as in an outage, or beyond a quota. */
final class RefusedCallsIT {
  private static final int COUNTERS = 200;
  private static final int MOST_CALLS_A_SECOND = 50;

  /** With more than a minute, the run is longer than the function's. */
  private static final Duration REFUSED =
      Duration.ofSeconds(Integer.getInteger("refused.seconds", 10));

  @Test
  void calls_areFewAndTotalsAreWrittenAtOnceThen() throws IOException, InterruptedException {
    try (var stub = new StubFirestore(Duration.ofMillis(10), LiveCounters.live(COUNTERS));
        var worker = new Worker(stub, GoogleClients.ROLLUP_CONNECTIONS, REFUSED.plusMinutes(5))) {
      await("all are rolled up").until(() -> stub.gaps().size() >= COUNTERS);

      stub.refuse(true);
      Thread.sleep(REFUSED.toMillis());
      stub.refuse(false);
      long ended = System.nanoTime();
      stub.measureAfresh();

      await("all are rolled up again").until(() -> stub.gaps().size() >= COUNTERS);
      System.out.printf(
          "%d counters: %d calls refused in %d s, all written %.2f s after%n",
          COUNTERS, stub.refused(), REFUSED.toSeconds(), (System.nanoTime() - ended) / 1e9);
      assertThat(stub.refused()).isLessThan(MOST_CALLS_A_SECOND * (int) REFUSED.toSeconds());
      assertThat(worker.complaints).anyMatch(it -> it.startsWith("Firestore does not answer"));
      assertThat(worker.ended).isNotDone();
    }
  }
}
