package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.Sum;

/** A figure of a counter that its own document can show in a field. */
public enum Figure {
  /** The sum of its shards. */
  SUM,
  /** How many were summed. */
  COUNT,
  /** The sum for each of them, a double; 0 for none. */
  AVERAGE;

  /** The value in a sum. */
  public Total of(Sum sum) {
    return switch (this) {
      case SUM -> sum.total();
      case COUNT -> new Total.Whole(sum.shards());
      case AVERAGE ->
          new Total.Fraction(
              sum.shards() == 0 ? 0 : sum.total().doubleValue() / (double) sum.shards());
    };
  }
}
