package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports counters whose shards add up to nothing that could be stored: each once a minute at most,
 * so that a busy one does not fill the log. Used on the event loop only.
 */
final class Unusable {
  private static final Duration SILENCE = Duration.ofMinutes(1);
  private static final int CAPACITY = 1_000;

  private final Journal journal;
  private final Map<CounterPath, Instant> reported =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<CounterPath, Instant> eldest) {
          return size() > CAPACITY;
        }
      };

  Unusable(Journal journal) {
    this.journal = journal;
  }

  void report(CounterPath counter, Sum sum) {
    Instant last = reported.get(counter);
    if (last != null && sum.readTime().isBefore(last.plus(SILENCE))) {
      return;
    }
    reported.put(counter, sum.readTime());
    journal.write(
        Severity.ERROR,
        "sum is not a number that can be stored; the last good total stays",
        Map.of("counter", counter.toString(), "sum", sum.total().toString()));
  }
}
