package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.Sum;

/** A figure of a counter that its own document can show in a field. */
public enum Figure {
  /** The sum of its shards. */
  TOTAL,
  /** How many were summed. */
  NUMBER,
  /** The total for each of them, a double; 0 for none. */
  AVERAGE;

  /** The value in a sum. */
  public Total of(Sum sum) {
    return switch (this) {
      case TOTAL -> sum.total();
      case NUMBER -> new Total.Whole(sum.shards());
      case AVERAGE ->
          new Total.Fraction(
              sum.shards() == 0 ? 0 : sum.total().doubleValue() / (double) sum.shards());
    };
  }
}
