package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.Timing;
import java.util.HashMap;
import java.util.Map;

/**
 * A counter: an entry, and the document that the total is of.
 *
 * @param path of that document, in terms of the entry's layout
 */
public record CounterId(Entry entry, CounterPath path) {

  public Layout layout() {
    return entry.layout();
  }

  public Timing timing() {
    return entry.timing();
  }

  /** Path of the counter's own document. */
  public String document() {
    return layout().counterDocument(path);
  }

  /** Path of the collection of its shards. */
  public String shards() {
    return layout().shardsCollection(path);
  }

  /** What a document of that collection holds to be one of them. */
  public Conditions conditions() {
    return layout().conditions(path);
  }

  /** Path of its roll-up document. No two counters of a file have the same. */
  public String rollup() {
    return layout().rollupDocument(path);
  }

  /** Id of its entry in the live list. */
  public String liveId() {
    return layout().liveId(path);
  }

  /** What its roll-up says of itself. */
  public Mark mark() {
    return new Mark(document(), entry.totalOf());
  }

  /** The fields of a line in the log: the entry, the document, and others. */
  Map<String, Object> fields(Map<String, ?> others) {
    Map<String, Object> fields = new HashMap<>(others);
    fields.put(StructuredLog.ENTRY, entry.name());
    fields.put("counter", document());
    return fields;
  }

  @Override
  public String toString() {
    return document();
  }
}
