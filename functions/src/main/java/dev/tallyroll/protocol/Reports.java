package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports counters whose roll-up cannot be written: each once a minute at most, so that a busy one
 * does not fill the log. Used on the event loop only.
 */
final class Reports {
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

  Reports(Journal journal) {
    this.journal = journal;
  }

  /** The shards add up to nothing that could be stored. */
  void unusable(CounterPath counter, Sum sum) {
    report(
        counter,
        sum.readTime(),
        "sum is not a number that can be stored; the last good total stays",
        Map.of("counter", counter.toString(), "sum", sum.total().toString()));
  }

  /** Somebody else's document is in the place of the roll-up. */
  void taken(CounterPath counter, Layout layout, Instant readTime) {
    String mark = layout.counterDocument(counter);
    report(
        counter,
        readTime,
        "a document without this counter's mark is in the place of its roll-up, and is left alone:"
            + " remove it, or hand it over by a field counter with this counter's path",
        Map.of("document", layout.rollupDocument(counter), "counter", mark));
  }

  private void report(
      CounterPath counter, Instant now, String message, Map<String, String> fields) {
    Instant last = reported.get(counter);
    if (last == null || !now.isBefore(last.plus(SILENCE))) {
      reported.put(counter, now);
      journal.write(Severity.ERROR, message, fields);
    }
  }
}
