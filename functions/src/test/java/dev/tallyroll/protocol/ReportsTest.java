package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  void takenPlace_isReportedWithItsPathAndBothMarks() {
    List<Object> fields = new ArrayList<>();
    Mark mark = new Mark("rooms/r1/counters/likes", "number of {**}/counters/{1}/shards");
    new Reports((severity, message, told) -> fields.add(told))
        .taken(
            Examples.ENTRY.counter(new CounterPath("rooms/r1", "likes")),
            new Reading(Optional.empty(), Optional.of(mark), START));

    assertThat(fields)
        .containsExactly(
            Map.of(
                "entry", "counters",
                "counter", "rooms/r1/counters/likes",
                "document", "rooms/r1/rollups/likes",
                "expected", "rooms/r1/counters/likes: sum of count in {**}/counters/{1}/shards",
                "found", "rooms/r1/counters/likes: number of {**}/counters/{1}/shards"));
  }

  private void report(String counter, int second) {
    Sum sum = new Sum(new Total.Fraction(Double.NaN), 1, START.plusSeconds(second));
    reports.check(Examples.counter(counter), sum);
  }
}
