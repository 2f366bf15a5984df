package dev.tallyroll;

import dev.tallyroll.internal.ids.Names;

/**
 * Names one counter: its id, and the document it is nested in.
 *
 * @param parent path of the document that the counters collection lies in, such as {@code
 *     rooms/r1}; empty for the root of the database
 * @param id the counter's document id
 */
public record CounterPath(String parent, String id) {

  /**
   * @throws IllegalArgumentException if Firestore would refuse the parent or the id
   */
  public CounterPath {
    Names.requireParent(parent);
    Names.requireDocumentId("counter id", id);
  }

  /** Names a counter at the root of the database. */
  public static CounterPath of(String id) {
    return new CounterPath("", id);
  }

  @Override
  public String toString() {
    return parent.isEmpty() ? id : parent + "/" + id;
  }
}
