package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.protocol.Journal.Severity;
import java.util.Map;

/** Reports a counter whose shards add up to nothing that could be stored. */
final class Unusable {
  private Unusable() {}

  static void report(Journal journal, CounterPath counter, Sum sum) {
    journal.write(
        Severity.ERROR,
        "sum is not a number that can be stored; the last good total stays",
        Map.of("counter", counter.toString(), "sum", sum.total().toString()));
  }
}
