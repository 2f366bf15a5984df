package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.runs.Timing;
import java.util.Map;
import java.util.Optional;

/**
 * One kind of total, as an app's file of totals has it. A counter is an entry and the document that
 * the total is of: see {@link CounterId}.
 *
 * @param name unique among the entries of a file
 * @param layout where counters, shards and roll-ups are
 * @param totalOf what its totals are of, in words
 * @param fields the figures that counters' own documents show, and where
 * @param sum whether shards are summed by a query, or one by one
 * @param hasEvents whether a trigger watches the shards; else all counters are polled
 * @param timing of these counters
 */
public record Entry(
    String name,
    Layout layout,
    String totalOf,
    Map<Figure, FieldName> fields,
    SumMode sum,
    boolean hasEvents,
    Timing timing) {

  /** An entry with the text that its layout gives. */
  public Entry(
      String name,
      Layout layout,
      Map<Figure, FieldName> fields,
      SumMode sum,
      boolean hasEvents,
      Timing timing) {
    this(name, layout, layout.totalOf(), fields, sum, hasEvents, timing);
  }

  /** Copies the fields. */
  public Entry {
    fields = Map.copyOf(fields);
  }

  /** Whether clients increment shards; else people's documents are counted as they are. */
  public boolean looksLikeShardedCounter() {
    return layout.counted().filter(field -> field.names().size() == 1).isPresent()
        && !fields.containsKey(Figure.COUNT)
        && !fields.containsKey(Figure.AVERAGE);
  }

  /** Whether sums read the index of the summed field: the key {@code index}. */
  public boolean isIndexed() {
    return sum == SumMode.AGGREGATE;
  }

  /**
   * Whether there is a total only of a document that is there: else whoever may write shards could
   * make as many roll-ups as he likes.
   */
  public boolean needsDocument() {
    return !fields.isEmpty() || !layout.documentFields().isEmpty();
  }

  /** The counter of a path in the layout. */
  public CounterId counter(CounterPath path) {
    return new CounterId(this, path);
  }

  /** The counter that a shard's path belongs to; empty if it is not a shard's path. */
  public Optional<CounterId> counterOfShard(String path) {
    return layout.counterOfShard(path).map(this::counter);
  }

  /** The counter that a roll-up's path belongs to; empty if it is not a roll-up's path. */
  public Optional<CounterId> counterOfRollup(String path) {
    return layout.counterOfRollup(path).map(this::counter);
  }

  /** The counter whose own document has this path; empty if there is none. */
  public Optional<CounterId> counterOfDocument(String path) {
    return layout.counterOfDocument(path).map(this::counter);
  }

  /** Entries have names of their own; maps of counters need no more. */
  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Entry entry
            && name.equals(entry.name)
            && layout.equals(entry.layout)
            && fields.equals(entry.fields)
            && sum == entry.sum
            && hasEvents == entry.hasEvents
            && timing.equals(entry.timing));
  }

  @Override
  public String toString() {
    return name;
  }
}
