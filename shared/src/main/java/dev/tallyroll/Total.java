package dev.tallyroll;

import java.math.BigInteger;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A counter's total: a whole number while all its shards are, a fraction once one is not. */
public sealed interface Total {

  /** A total of shards that are all integers. */
  record Whole(long value) implements Total {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** A total with a double among its shards, or one too large for an integer. */
  record Fraction(double value) implements Total {
    @Override
    public String toString() {
      return Double.toString(value);
    }
  }

  /** The first double past the integers' range. */
  double LIMIT = 0x1p63;

  /**
   * Makes a total from a number as Firestore returns it: a {@code Long} or a {@code Double}.
   *
   * @throws IllegalArgumentException for any other number
   */
  static Total of(Number number) {
    if (number instanceof Long whole) {
      return new Whole(whole);
    }
    if (number instanceof Double fraction) {
      return new Fraction(fraction);
    }
    throw new IllegalArgumentException("total: expected a Long or a Double; found " + number);
  }

  /**
   * Adds counts up as Firestore's {@code sum} does: what is not a number is passed over, integers
   * stay exact, and the sum is a double once a double takes part or the integers' range is left.
   *
   * <p>Source: {@code StructuredAggregationQuery.Aggregation.Sum} in Firestore's query.proto.
   */
  static Total add(Collection<? extends @Nullable Object> counts) {
    BigInteger whole = BigInteger.ZERO;
    double fraction = 0;
    boolean fractional = false;
    for (Object count : counts) {
      if (count instanceof Long integer) {
        whole = whole.add(BigInteger.valueOf(integer));
      } else if (count instanceof Double number) {
        fraction += number;
        fractional = true;
      }
    }
    return !fractional && whole.bitLength() < Long.SIZE
        ? new Total.Whole(whole.longValueExact())
        : new Total.Fraction(whole.doubleValue() + fraction);
  }

  /** The number as Firestore stores it. */
  default Number number() {
    return this instanceof Whole whole ? (Number) whole.value() : ((Fraction) this).value();
  }

  /**
   * The total as a whole number; of a fraction, the part before the point.
   *
   * @throws ArithmeticException unless it is {@linkplain #isUsable usable}, rather than to pass a
   *     NaN for 0
   */
  default long longValue() {
    if (!isUsable()) {
      throw new ArithmeticException("total: expected a number below 2^63; found " + this);
    }
    return number().longValue();
  }

  /** The total as a double: NaN or an infinity if that is what it is. */
  default double doubleValue() {
    return number().doubleValue();
  }

  /**
   * Whether the total means something. A NaN, an infinity, and a sum past the integers' range
   * (which Firestore turns into a double and so rounds) do not.
   */
  default boolean isUsable() {
    return this instanceof Whole || Math.abs(((Fraction) this).value()) < LIMIT;
  }
}
