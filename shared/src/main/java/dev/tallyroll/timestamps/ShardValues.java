package dev.tallyroll.timestamps;

import java.util.ArrayList;
import java.util.List;

/** The values of a shard field, and how queries take them. */
public final class ShardValues {
  /**
   * How many values one {@code in} filter takes. Source: Firestore's page on queries, "use the in
   * operator to combine up to 30 equality clauses".
   */
  public static final int MAX_IN = 30;

  private ShardValues() {}

  /** Splits values into the fewest chunks that an {@code in} filter takes. */
  public static <T> List<List<T>> chunks(List<T> values) {
    List<List<T>> chunks = new ArrayList<>();
    for (int from = 0; from < values.size(); from += MAX_IN) {
      chunks.add(List.copyOf(values.subList(from, Math.min(from + MAX_IN, values.size()))));
    }
    return chunks;
  }
}
