package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Reports counters whose roll-up cannot be written, each once a minute at most, so that a busy
 * counter does not fill the log.
 */
final class Reports {
  private static final Duration SILENCE = Duration.ofMinutes(1);
  private static final int CAPACITY = 1_000;

  private final Journal journal;
  private final Map<CounterPath, Instant> reported = Recent.entries(CAPACITY);

  Reports(Journal journal) {
    this.journal = journal;
  }

  /** Returns whether a sum can be stored, and reports one that cannot. */
  boolean check(CounterPath counter, Layout layout, Sum sum) {
    String document = layout.counterDocument(counter);
    if (sum.isMisplaced()) {
      String expected = "field " + layout.countField() + " in " + document + "/" + layout.shards();
      report(
          counter,
          sum.readTime(),
          "documents below this counter, but no shard where the settings expect one; the last good"
              + " total stays: set COUNT_FIELD and SHARDS_COLLECTION to the clients' own",
          Map.of("counter", document, "expected", expected));
    } else if (!sum.isUsable()) {
      report(
          counter,
          sum.readTime(),
          "sum is not a number that can be stored; the last good total stays",
          Map.of("counter", document, "sum", sum.total().toString()));
    }
    return sum.isUsable();
  }

  /** As below, but only if the counter has shards, and so needs the place. */
  void taken(CounterPath counter, Layout layout, Sum sum) {
    if (sum.shards() > 0) {
      taken(counter, layout, sum.readTime());
    }
  }

  /** Reports a foreign document in the place of the roll-up. */
  void taken(CounterPath counter, Layout layout, Instant readTime) {
    String mark = layout.counterDocument(counter);
    report(
        counter,
        readTime,
        "a document without this counter's mark is in the place of its roll-up, and is left alone:"
            + " remove it, or hand it over by a field counter with this counter's path",
        Map.of("document", layout.rollupDocument(counter), "counter", mark));
  }

  /** Reports a counter that its roller passes over, since its calls keep failing. */
  void failing(CounterPath counter, Layout layout, Instant now, Throwable cause) {
    report(
        counter,
        now,
        "calls for this counter keep failing; its lease stands, and it is tried again after a while",
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
