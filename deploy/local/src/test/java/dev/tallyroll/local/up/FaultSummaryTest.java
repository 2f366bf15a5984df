package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.DeliveryCounts;
import dev.tallyroll.local.Sweeps.Drift;
import dev.tallyroll.local.chaos.FaultCounts;
import dev.tallyroll.local.chaos.FaultCounts.Fault;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FaultSummaryTest {
  @Test
  void everyKind_isTelling() {
    assertThat(summary(60, counts()).isTelling()).isTrue();
  }

  @Test
  void missingKind_isNotTelling() {
    var counts = counts();
    counts.put(Fault.OUTAGE, 0L);

    assertThat(summary(60, counts).isTelling()).isFalse();
    assertThat(summary(60, counts).toString())
        .contains("kinds that never happened        [outages of Firestore]");
  }

  @Test
  void shortRun_mayMissAKind() {
    assertThat(summary(59, Map.of()).isTelling()).isTrue();
  }

  @Test
  void summary_hasALineForEachKind() {
    assertThat(summary(60, counts()).toString())
        .contains(
            Arrays.stream(Fault.values())
                .map(fault -> String.format("%-32s %d", fault, 3))
                .toList())
        .contains("drift corrected by the sweep     1");
    assertThat(summary(60, counts()).counts())
        .hasSize(Fault.values().length + 3)
        .containsEntry("drift corrected by the sweep", 1L);
  }

  private static Map<Fault, Long> counts() {
    var counts = new EnumMap<Fault, Long>(Fault.class);
    for (var fault : Fault.values()) {
      counts.put(fault, 3L);
    }
    return counts;
  }

  private static FaultSummary summary(int seconds, Map<Fault, Long> counts) {
    return new FaultSummary(
        1,
        Duration.ofSeconds(seconds),
        new FaultCounts(counts),
        new DeliveryCounts(0, 0, 0, 0, 0, 0, 0, 0, 0),
        0,
        List.of(new Drift("likes", "1", "2")));
  }
}
