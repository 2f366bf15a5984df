package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The history of a world. Checks each written roll-up: its total is exact at its time, and that
 * time only rises. Also checks that the numbers in the log add up.
 */
final class History implements StructuredLog {
  private static final int KEPT_LINES = 400;

  /** A sum of a counter's shards that queries may see. */
  private record Seen(Total total, long shards) {}

  private static final Seen NOTHING = new Seen(new Total.Whole(0), 0);

  private final VirtualTime time;
  private final ServerTotals totals;
  private final AppDocuments documents;
  private final Map<CounterPath, NavigableMap<Instant, Seen>> seen = new HashMap<>();
  private final Map<CounterPath, Instant> asOf = new HashMap<>();
  private final Map<CounterPath, Instant> unseen = new HashMap<>();
  private final Map<CounterPath, Seen> shown = new HashMap<>();
  long shardWrites;

  /** The longest wait of a change until its counter's roll-up showed it. */
  Duration maxLag = Duration.ZERO;

  /** Whether writes may have come after the last poll, and before events. */
  boolean mayMissEvents;

  /** The same of counters without events. */
  Duration maxPolledLag = Duration.ZERO;

  /** The same of changes of at least {@code precision} of the total that a live counter shows. */
  Duration maxLargeLag = Duration.ZERO;

  double precision;

  private final Map<CounterPath, Instant> large = new HashMap<>();

  /** When a roll-up was last written with another total. */
  private final Queue<Supplier<String>> lines = new ArrayDeque<>();

  private final Map<String, Integer> sums = new TreeMap<>();
  final List<LogLine> warnings = new ArrayList<>();

  /** A line of the functions' log. */
  record LogLine(Severity severity, String message, Map<String, ?> fields) {}

  History(VirtualTime time, ServerTotals totals, AppDocuments documents) {
    this.time = time;
    this.totals = totals;
    this.documents = documents;
  }

  @Override
  public void write(Severity severity, String message, Map<String, ?> fields) {
    note(() -> "log: " + severity + " " + message + " " + fields);
    // A client may write a shard more than once a second.
    if (severity != Severity.INFO && !message.startsWith("too few shards")) {
      warnings.add(new LogLine(severity, message, fields));
    }
    if (message.startsWith("a number in a counter's own document")) {
      documents.told(fields);
    }
    fields.forEach(
        (name, value) -> {
          if (value instanceof Integer number) {
            sums.merge(message + "." + name, number, Integer::sum);
          }
        });
  }

  /** The sum of a field over all lines. */
  int sum(String field) {
    return sums.getOrDefault(field, 0);
  }

  /** Checks a world without faults and without work in progress: its log has no warning. */
  void checkFaultless() {
    for (LogLine line : warnings) {
      boolean bounded = line.message().startsWith("more counters than SWEEP_COUNTERS");
      boolean late = mayMissEvents && line.message().startsWith("drift corrected");
      if (!bounded && !late && !documents.wasObstructed(line.fields().get("document"))) {
        throw new AssertionError("a warning although nothing went wrong: " + line);
      }
    }
    int ended = sum("summary.writes") + sum("summary.unchanged") + sum("summary.settled");
    if (sum("summary.sums") != ended + sum("summary.refused")) {
      throw new AssertionError("summaries do not add up: " + sums);
    }
  }

  /** Keeps a line. Its text is made only if a promise is broken. */
  void note(Supplier<String> line) {
    Instant now = time.now();
    lines.add(() -> now + " " + line.get());
    if (lines.size() > KEPT_LINES) {
      lines.remove();
    }
  }

  String lines() {
    return lines.stream().map(Supplier::get).collect(Collectors.joining("\n"));
  }

  /** One commit may write several shards, each of which has an event. */
  void shardsChanged(CounterPath counter, Commit commit) {
    Instant from = commit.from();
    String shards = ServerTotals.shardsOf(counter) + "/";
    shardWrites +=
        commit.changes().stream().filter(change -> change.path().startsWith(shards)).count();
    Sum sum = totals.sum(counter, from);
    Seen now = new Seen(sum.total(), sum.shards());
    seen(counter).put(from, now);
    boolean isLeftToTheSweep = sum.shards() == 0 && ServerTotals.isPolled(counter);
    if (isLeftToTheSweep || now.equals(shown.getOrDefault(counter, NOTHING))) {
      unseen.remove(counter); // back at the shown sum, which is not written again
    } else {
      unseen.putIfAbsent(counter, from);
    }
    noteSize(counter, now, from);
    note(() -> "shards of " + counter + ": " + now);
  }

  private void noteSize(CounterPath counter, Seen now, Instant from) {
    Seen before = shown.getOrDefault(counter, NOTHING);
    double change = Math.abs(now.total().doubleValue() - before.total().doubleValue());
    boolean isLarge =
        now.shards() != before.shards()
            || change > precision * Math.abs(before.total().doubleValue());
    // A counter that goes while its roll-up is being created may keep it until the next run.
    if (isLarge && now.shards() > 0 && !ServerTotals.isPolled(counter)) {
      large.putIfAbsent(counter, from);
    } else {
      large.remove(counter);
    }
  }

  void rollupChanged(CounterPath counter, Optional<Rollup> rollup) {
    note(() -> "roll-up of " + counter + ": " + rollup.map(Rollup::toString).orElse("deleted"));
    if (totals.waitedForItsDocument(counter, unseen.getOrDefault(counter, Instant.MAX))) {
      unseen.remove(counter);
      large.remove(counter);
    }
    measureLag(counter, rollup.map(Rollup::asOf).orElse(time.now()));
    if (rollup.isEmpty()) {
      asOf.remove(counter);
      shown.put(counter, NOTHING);
      large.remove(counter);
      return;
    }
    Rollup written = rollup.get();
    Instant before = asOf.put(counter, written.asOf());
    if (before != null && written.asOf().isBefore(before)) {
      throw new AssertionError(counter + ": as_of went back from " + before + " to " + written);
    }
    Map.Entry<Instant, Seen> exact = seen(counter).floorEntry(written.asOf());
    Seen claimed = new Seen(written.total(), written.shards());
    shown.put(counter, claimed);
    if (exact == null || !exact.getValue().equals(claimed)) {
      throw new AssertionError(counter + ": says " + claimed + ", but exact is " + exact);
    }
    Instant since = large.remove(counter);
    if (since != null && !since.isAfter(written.asOf())) {
      Duration lag = Duration.between(since, time.now());
      maxLargeLag = longer(maxLargeLag, lag);
      note(() -> counter + " showed a large change only after " + lag);
    }
    Map.Entry<Instant, Seen> latest = seen(counter).lastEntry();
    noteSize(counter, latest.getValue(), latest.getKey());
    if (claimed.equals(seen(counter).lastEntry().getValue())) {
      unseen.remove(counter); // the sum has changed, and changed back to the shown one
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private NavigableMap<Instant, Seen> seen(CounterPath counter) {
    return seen.computeIfAbsent(counter, first -> new TreeMap<>());
  }

  /** Measures the wait of the oldest change that was not shown; a younger one may still wait. */
  private void measureLag(CounterPath counter, Instant upTo) {
    Instant oldest = unseen.get(counter);
    if (oldest == null || oldest.isAfter(upTo)) {
      return;
    }
    Duration lag = Duration.between(oldest, time.now());
    if (ServerTotals.isPolled(counter)) {
      maxPolledLag = longer(maxPolledLag, lag);
    } else if (lag.compareTo(maxLag) > 0) {
      maxLag = lag;
      note(() -> counter + " was behind for " + lag);
    }
    unseen.remove(counter);
    Optional.ofNullable(seen(counter).higherKey(upTo)).ifPresent(next -> unseen.put(counter, next));
  }
}
