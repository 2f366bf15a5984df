package dev.tallyroll;

import java.math.BigInteger;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Adds up as Firestore's {@code sum} does: what is not a number is passed over, integers stay
 * exact, and the sum is a double once a double takes part or the integers' range is left.
 *
 * <p>Source: {@code StructuredAggregationQuery.Aggregation.Sum} in Firestore's query.proto.
 */
final class Addition {
  private Addition() {}

  static Total of(Collection<? extends @Nullable Object> values) {
    BigInteger whole = BigInteger.ZERO;
    double fraction = 0;
    boolean fractional = false;
    for (Object value : values) {
      if (value instanceof Long integer) {
        whole = whole.add(BigInteger.valueOf(integer));
      } else if (value instanceof Double number) {
        fraction += number;
        fractional = true;
      }
    }
    return !fractional && whole.bitLength() < Long.SIZE
        ? new Total.Whole(whole.longValueExact())
        : new Total.Fraction(whole.doubleValue() + fraction);
  }
}
