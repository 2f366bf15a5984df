package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;

/**
 * What the rising field holds. A query takes one kind and leaves the others out, so that one bad
 * document cannot break everybody's pages.
 */
enum Kind {
  TIMESTAMP(Timestamp.MIN_VALUE),

  /** Integers and doubles, in one order. A NaN is left out too. */
  NUMBER(Double.NEGATIVE_INFINITY);

  @SuppressWarnings("ImmutableEnumChecker") // A Timestamp or a Double.
  private final Object least;

  Kind(Object least) {
    this.least = least;
  }

  /** Whatever is at least this is of this kind. */
  Object least() {
    return least;
  }
}
