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
  void unusable(CounterPath counter, Layout layout, Sum sum) {
    if (sum.isMisplaced()) {
      misplaced(counter, layout, sum.readTime());
      return;
    }
    report(
        counter,
        sum.readTime(),
        "sum is not a number that can be stored; the last good total stays",
        Map.of("counter", layout.counterDocument(counter), "sum", sum.total().toString()));
  }

  private void misplaced(CounterPath counter, Layout layout, Instant readTime) {
    String document = layout.counterDocument(counter);
    String expected = "field " + layout.countField() + " in " + document + "/" + layout.shards();
    report(
        counter,
        readTime,
        "documents below this counter, but no shard where the settings expect one; the last good"
            + " total stays: set COUNT_FIELD and SHARDS_COLLECTION to the clients' own",
        Map.of("counter", document, "expected", expected));
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

  /** Its calls have failed so often that its roller goes on without it. */
  void failing(CounterPath counter, Layout layout, Instant now, Throwable cause) {
    report(
        counter,
        now,
        "calls for this counter keep failing; its lease stands, and the next run tries again",
        Map.of("counter", layout.counterDocument(counter), "cause", cause.toString()));
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
