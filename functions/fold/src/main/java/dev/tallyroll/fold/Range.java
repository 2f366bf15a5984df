package dev.tallyroll.fold;

import java.util.Optional;

/**
 * Says which sums a field can hold. Firestore's {@code increment} stops at the ends of the
 * integers' range, and a double takes no 1 any more from 2^53 on: what is added there is lost.
 *
 * <p>Source: {@code DocumentTransform.FieldTransform.increment} in Firestore's write.proto.
 */
final class Range {
  private static final double EXACT = 0x1p53;

  /** Far fewer batches than these two differ by are made while a document's fields are believed. */
  private static final double SMALL = 0x1p40;

  private static final double FAR = 0x1p52;
  private static final double FAR_WHOLE = 0x1p62;

  private Range() {}

  /** The sum of two numbers; empty if a field cannot hold it exactly. */
  static Optional<Number> sum(Number one, Number other) {
    if (one instanceof Long a && other instanceof Long b) {
      long sum = a + b;
      boolean overflows = ((a ^ sum) & (b ^ sum)) < 0;
      return overflows ? Optional.empty() : Optional.of(sum);
    }
    double sum = one.doubleValue() + other.doubleValue();
    return Math.abs(sum) < EXACT ? Optional.of(sum) : Optional.empty();
  }

  /** Whether a field can hold this sum though others have changed it since it was read. */
  static boolean isFarFromEnds(Number there, Number sum) {
    boolean whole = there instanceof Long && sum instanceof Long;
    return Math.abs(there.doubleValue()) <= (whole ? FAR_WHOLE : FAR)
        && Math.abs(sum.doubleValue()) <= SMALL;
  }
}
