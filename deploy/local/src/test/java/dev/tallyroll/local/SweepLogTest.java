package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SweepLogTest {
  private final SweepLog log = new SweepLog();

  @Test
  void correctedTotals_areKept() {
    log.accept(
        line(
            "{'message':'drift corrected: the events of some writes were lost, or are still on"
                + " their way','counter':'likes','was':'absent','is':'3'}"));

    assertThat(log.soFar().drift()).containsExactly(new Drift("likes", "absent", "3"));
  }

  @Test
  void parts_areAddedUp() {
    log.accept(line("{'message':'sweep','checked':4,'drift':1,'failed':0}"));
    log.accept(line("{'message':'sweep','checked':2,'drift':0,'failed':0}"));

    assertThat(log.soFar()).isEqualTo(new Sweeps(2, 6, List.of()));
  }

  @Test
  void otherLines_countNothing() {
    log.accept(line("{'message':'tick','checked':4}"));

    assertThat(log.soFar()).isEqualTo(new Sweeps(0, 0, List.of()));
  }

  private static LogLine line(String json) {
    return LogLine.parse(json.replace('\'', '"')).orElseThrow();
  }
}
