package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnusableTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<Object> reported = new ArrayList<>();
  private final Unusable unusable =
      new Unusable((severity, message, fields) -> reported.add(fields.get("counter")));

  @Test
  void counter_isReportedOnceAMinute() {
    report("likes", 0);
    report("likes", 59);
    report("votes", 59);
    report("likes", 60);

    assertThat(reported).containsExactly("likes", "votes", "likes");
  }

  private void report(String counter, int second) {
    Sum sum = new Sum(new Total.Fraction(Double.NaN), 1, START.plusSeconds(second));
    unusable.report(CounterPath.of(counter), sum);
  }
}
