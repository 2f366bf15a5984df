package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopbackTest {
  /** A cloud takes eight ports or so, and processes that start at once have near ids. */
  @Test
  void portsOfNearProcesses_lieApart() {
    int range = 20_000;
    for (int distance = 1; distance <= 1_000; distance++) {
      int apart = Math.floorMod(Loopback.offset(1_000 + distance) - Loopback.offset(1_000), range);
      assertThat(Math.min(apart, range - apart))
          .as("%d processes apart", distance)
          .isGreaterThanOrEqualTo(16);
    }
  }
}
