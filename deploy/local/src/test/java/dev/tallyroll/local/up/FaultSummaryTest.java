package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Maps;
import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FaultSummaryTest {
  private static final Map<Occurrence, Long> THREE_OF_EACH =
      Maps.toMap(EnumSet.allOf(Occurrence.class), what -> 3L);

  @Test
  void missingKind_isNotTelling() {
    var allButOne = Maps.filterKeys(THREE_OF_EACH, what -> what != Occurrence.OUTAGE);

    assertThat(summary(60, THREE_OF_EACH).isTelling()).isTrue();
    assertThat(summary(60, allButOne).isTelling()).isFalse();
    assertThat(summary(60, allButOne).toString())
        .contains("kinds that never happened        [outages of Firestore]");
  }

  @Test
  void shortRun_mayMissAKind() {
    assertThat(summary(59, Map.of()).isTelling()).isTrue();
  }

  @Test
  void summary_hasALineForEachKind() {
    assertThat(
            summary(60, THREE_OF_EACH).toString().lines().map(line -> line.replaceAll(" +", " ")))
        .containsSubsequence(
            "faults for 60 s",
            "events doubled 3",
            "streams broken 3",
            "kinds that never happened none",
            "deliveries tried again 3 (of 3 events)",
            "messages that RollUp lost 0",
            "drift corrected by the sweep 1")
        .hasSize(Occurrence.FAULTS.size() + 5);
  }

  private static FaultSummary summary(int seconds, Map<Occurrence, Long> happened) {
    var drift = List.of(new Drift("likes", "1", "2"));
    return new FaultSummary(Duration.ofSeconds(seconds), happened, 0, drift);
  }
}
