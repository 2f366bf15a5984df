package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Sum;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportsTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<Object> reported = new ArrayList<>();
  private final Reports reports =
      new Reports((severity, message, fields) -> reported.add(fields.get("counter")));

  @Test
  void counter_isReportedOnceAMinute() {
    report("likes", 0);
    report("likes", 59);
    report("votes", 59);
    report("likes", 60);

    assertThat(reported).containsExactly("counters/likes", "counters/votes", "counters/likes");
  }

  @Test
  void takenPlace_isReportedWithItsPathAndTheMark() {
    List<Object> fields = new ArrayList<>();
    new Reports((severity, message, told) -> fields.add(told))
        .taken(new CounterPath("rooms/r1", "likes"), Layout.DEFAULT, START);

    assertThat(fields)
        .containsExactly(
            Map.of("document", "rooms/r1/rollups/likes", "counter", "rooms/r1/counters/likes"));
  }

  @Test
  void shardsThatAreNotWhereTheyAreExpected_areReportedWithTheSettings() {
    List<Object> fields = new ArrayList<>();
    new Reports((severity, message, told) -> fields.add(told))
        .check(CounterPath.of("likes"), Layout.DEFAULT, Sum.misplaced(START));

    assertThat(fields)
        .containsExactly(
            Map.of(
                "counter", "counters/likes",
                "expected", "field count in counters/likes/shards"));
  }

  private void report(String counter, int second) {
    Sum sum = new Sum(new Total.Fraction(Double.NaN), 1, START.plusSeconds(second));
    reports.check(CounterPath.of(counter), Layout.DEFAULT, sum);
  }
}
