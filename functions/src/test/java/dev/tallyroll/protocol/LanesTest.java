package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Lease;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LanesTest {
  private static final Lanes LANES = new Lanes(16, 3);

  @Test
  void everyLane_belongsToTheWorkerThatAsksForIt() {
    for (int worker = 0; worker < 3; worker++) {
      int owner = worker;
      assertThat(LANES.of(worker)).allMatch(lane -> LANES.workerOf(lane) == owner);
    }
    assertThat(IntStream.range(0, 3).mapToLong(worker -> LANES.of(worker).size()).sum())
        .isEqualTo(16);
  }

  @Test
  void lanesThatShouldNotBe_belongToWorkerZero() {
    assertThat(LANES.workerOf(Lease.NO_LANE)).isZero();
    assertThat(LANES.workerOf(16)).isZero();
    assertThat(LANES.workerOf(17)).isZero();
  }
}
