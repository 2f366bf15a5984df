package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.ShardSummer.Uncounted;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Reports counters whose roll-up cannot be written, each once a minute at most, so that a busy
 * counter does not fill the log.
 */
final class Reports {
  private static final Duration SILENCE = Duration.ofMinutes(1);
  private static final Duration LONG_SILENCE = Duration.ofHours(1);

  private static final int CAPACITY = 1_000;

  private final StructuredLog log;
  private final Map<Object, Instant> reported = Recent.entries(CAPACITY);

  Reports(StructuredLog log) {
    this.log = log;
  }

  /** Returns whether a sum can be stored, and reports one that cannot. */
  boolean check(CounterId counter, Sum sum) {
    if (!sum.isUsable()) {
      report(
          counter,
          sum.readTime(),
          "sum is not a number that can be stored; the last good total stays",
          counter.fields(Map.of("sum", sum.total().toString())));
    }
    return sum.isUsable();
  }

  /** Whether documents that do not count are to be looked for, as that was an hour ago. */
  boolean looksAgain(CounterId counter, Sum sum) {
    return isDue(List.of("uncounted", counter), sum.readTime(), LONG_SILENCE);
  }

  /** Reports documents that do not count. */
  void uncounted(CounterId counter, Uncounted found) {
    log.write(
        Severity.WARNING,
        "documents do not count, since they hold no number in the summed field",
        counter.fields(Map.of("documents", Long.toString(found.number()), "one", found.one())));
  }

  /** Reports a foreign document in the place of the roll-up. */
  void taken(CounterId counter, Reading reading) {
    Mark expected = counter.mark();
    Mark found = reading.foreign().orElseThrow();
    report(
        counter,
        reading.readTime(),
        "a document without this total's mark is in the place of its roll-up, and is left alone:"
            + " it is somebody else's, or was made when the entry summed something else. Remove it,"
            + " or give the entry other `rollups`",
        counter.fields(
            Map.of(
                "document",
                counter.rollup(),
                "expected",
                expected.toString(),
                "found",
                found.toString())));
  }

  /** Reports a document that holds something else in the place of a field of ours. */
  void obstructed(CounterId counter, FieldName name, Instant now, String found) {
    String field = name.toString();
    report(
        List.of("obstructed", counter, name),
        now,
        "a counter's own document holds something else in the place of a figure, or on the way to"
            + " it, which stays, so it does not show that: remove it, or name another field in"
            + " `into`",
        Map.of(
            StructuredLog.ENTRY,
            counter.entry().name(),
            "document",
            counter.document(),
            "expected",
            "a number or nothing in " + field,
            "found",
            found));
  }

  /**
   * Reports a number that is about to be replaced, so that it can be put back.
   *
   * @param mayBeOurs whether it may be an older one that was written here
   */
  void replaced(
      CounterId counter, FieldName field, Instant now, Total was, Total is, boolean mayBeOurs) {
    report(
        List.of("replaced", counter, field),
        now,
        SILENCE,
        mayBeOurs ? Severity.INFO : Severity.WARNING,
        "a number in a counter's own document is not its last one, and is replaced",
        Map.of(
            StructuredLog.ENTRY,
            counter.entry().name(),
            "document",
            counter.document(),
            "field",
            field.toString(),
            "was",
            was.toString(),
            "is",
            is.toString()));
  }

  /** Reports an entry whose sums Firestore refuses, once for all of its counters. */
  void withoutIndex(CounterId counter, Instant now, MissingIndexException missing) {
    report(
        List.of("index", counter.entry().name()),
        now,
        "an index that sums need is not there, or not ready: these totals stand still. deploy makes"
            + " it; then a sweep sums what was written meanwhile",
        Map.of(
            StructuredLog.ENTRY,
            counter.entry().name(),
            "cause",
            String.valueOf(missing.getMessage())));
  }

  /** Reports a counter that its roller passes over, since its calls keep failing. */
  void failing(CounterId counter, Instant now, Throwable cause) {
    report(
        counter,
        now,
        "calls for this counter keep failing; its lease stands, and it is tried again after a while",
        counter.fields(Map.of("cause", cause.toString())));
  }

  /** Reports what is wrong with a counter or a document, unless it has done so a moment ago. */
  private void report(Object what, Instant now, String message, Map<String, ?> fields) {
    report(what, now, SILENCE, Severity.ERROR, message, fields);
  }

  private void report(
      Object what,
      Instant now,
      Duration silence,
      Severity severity,
      String message,
      Map<String, ?> fields) {
    if (isDue(what, now, silence)) {
      log.write(severity, message, fields);
    }
  }

  private boolean isDue(Object what, Instant now, Duration silence) {
    Instant last = reported.get(what);
    if (last != null && now.isBefore(last.plus(silence))) {
      return false;
    }
    reported.put(what, now);
    return true;
  }
}
