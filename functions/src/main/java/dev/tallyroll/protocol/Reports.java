package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Cause;
import dev.tallyroll.internal.Sum.Doubt;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
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

  /** A sum of so many shards costs a hundred reads. */
  private static final long MANY = 100_000;

  private static final int CAPACITY = 1_000;

  private final Journal journal;
  private final Map<Object, Instant> reported = Recent.entries(CAPACITY);

  Reports(Journal journal) {
    this.journal = journal;
  }

  /** Returns whether a sum can be stored, and reports one that cannot, or that costs much. */
  boolean check(Located counter, Sum sum) {
    Layout layout = counter.layout();
    String document = counter.document();
    if (sum.shards() > MANY) {
      many(counter, sum);
    }
    if (sum.isDoubted(Cause.NO_FIELD)) {
      String expected = "field " + layout.countField() + " in " + document + "/" + layout.shards();
      report(
          counter,
          sum.readTime(),
          "documents in the collection of this counter's shards, but no shard where the settings"
              + " expect one; the last good total stays: set COUNT_FIELD to the clients' own",
          Map.of("counter", document, "expected", expected));
    } else if (sum.isUnconfirmed()) {
      unconfirmed(document, layout, sum);
    } else if (!sum.isUsable()) {
      report(
          counter,
          sum.readTime(),
          "sum is not a number that can be stored; the last good total stays",
          Map.of("counter", document, "sum", sum.total().toString()));
    }
    return sum.isUsable();
  }

  private void many(Located counter, Sum sum) {
    report(
        List.of("many", counter),
        sum.readTime(),
        LONG_SILENCE,
        Severity.WARNING,
        "a counter of many documents: each sum costs a read for each 1,000. A longer TICK,"
            + " polls, or shards in place of documents cost less",
        Map.of("counter", counter.document(), "documents", Long.toString(sum.shards())));
  }

  /** One document is the cause for all counters, so it is reported once a minute for all. */
  private void unconfirmed(String counter, Layout layout, Sum sum) {
    String document = layout.settingsDocument();
    report(
        document,
        sum.readTime(),
        sum.shards() > 0
            ? "totals were made with other settings, so this one stays: set those that were found,"
                + " or let deploy confirm these"
            : "no shard where the settings expect one, and these settings are not confirmed, so"
                + " totals stay: set those that were found, or let deploy confirm these. If the"
                + " document is missing, the next sum over a shard makes it",
        Map.of(
            "counter",
            counter,
            "document",
            document,
            "expected",
            ConfirmedSettings.fields(layout).toString(),
            "found",
            sum.doubt().map(Doubt::found).orElse("")));
  }

  /** As below, but only if the counter has shards, and so needs the place. */
  void taken(Located counter, Sum sum) {
    if (sum.shards() > 0) {
      taken(counter, sum.readTime());
    }
  }

  /** Reports a foreign document in the place of the roll-up. */
  void taken(Located counter, Instant readTime) {
    report(
        counter,
        readTime,
        "a document without this counter's mark is in the place of its roll-up, and is left alone:"
            + " remove it, or hand it over by a field counter with this counter's path",
        Map.of("document", counter.rollup(), "counter", counter.document()));
  }

  /** Reports a document that holds something else in the place of a field of ours. */
  void obstructed(Located counter, FieldName name, Instant now, String found) {
    String field = name.toString();
    report(
        List.of("obstructed", counter, name),
        now,
        "a counter's own document holds something else in the place of a figure, or on the way to"
            + " it, which stays, so it does not show that: remove it, or set TOTAL_FIELD,"
            + " NUMBER_FIELD or AVERAGE_FIELD to another field",
        Map.of(
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
      Located counter, FieldName field, Instant now, Total was, Total is, boolean mayBeOurs) {
    report(
        List.of("replaced", counter, field),
        now,
        SILENCE,
        mayBeOurs ? Severity.INFO : Severity.WARNING,
        "a number in a counter's own document is not its last one, and is replaced",
        Map.of(
            "document",
            counter.document(),
            "field",
            field.toString(),
            "was",
            was.toString(),
            "is",
            is.toString()));
  }

  /** Reports a counter that its roller passes over, since its calls keep failing. */
  void failing(Located counter, Instant now, Throwable cause) {
    report(
        counter,
        now,
        "calls for this counter keep failing; its lease stands, and it is tried again after a while",
        Map.of("counter", counter.document(), "cause", cause.toString()));
  }

  /** Reports what is wrong with a counter or a document, unless it has done so a moment ago. */
  private void report(Object what, Instant now, String message, Map<String, String> fields) {
    report(what, now, SILENCE, Severity.ERROR, message, fields);
  }

  private void report(
      Object what,
      Instant now,
      Duration silence,
      Severity severity,
      String message,
      Map<String, String> fields) {
    Instant last = reported.get(what);
    if (last == null || !now.isBefore(last.plus(silence))) {
      reported.put(what, now);
      journal.write(severity, message, fields);
    }
  }
}
