package dev.tallyroll.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.it.Lab;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The snippet in Go, on a stack that counts its field. */
@On(Site.LONE)
@Execution(ExecutionMode.CONCURRENT)
final class GoClientIT {
  private static final int SHARDS = 5;
  private static final int INCREMENTS = 20;

  private final Lab lab;

  GoClientIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void go_createsAndCounts() throws Exception {
    var counter = lab.counter();
    try (var go = ClientProgram.go(lab, counter.path().id(), SHARDS, INCREMENTS)) {
      assertThat(go.await("acknowledged")).isEqualTo(INCREMENTS);

      lab.tickUntil("a settled total", () -> counter.isSettled((long) INCREMENTS));
      go.awaitTotal(INCREMENTS);
      assertThat(go.end()).isEqualTo(INCREMENTS);
    }
  }
}
