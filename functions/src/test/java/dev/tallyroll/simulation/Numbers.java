package dev.tallyroll.simulation;

import dev.tallyroll.Total;
import java.math.BigInteger;
import java.util.List;

/** How Firestore adds: to a field, and up over many documents. Pure. */
final class Numbers {
  private Numbers() {}

  /** An increment stays within the integers' range; with a double it becomes one. */
  static Total increment(Total count, Total delta) {
    if (count instanceof Total.Whole old && delta instanceof Total.Whole added) {
      BigInteger exact = big(old).add(big(added));
      boolean fits = exact.bitLength() < Long.SIZE;
      long end = exact.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
      return new Total.Whole(fits ? exact.longValueExact() : end);
    }
    return new Total.Fraction(count.number().doubleValue() + delta.number().doubleValue());
  }

  /** A sum is exact while all are integers and it is within their range, and else a double. */
  static Total sum(List<Total> counts) {
    BigInteger whole = BigInteger.ZERO;
    double fraction = 0;
    boolean fractional = false;
    for (Total count : counts) {
      if (count instanceof Total.Whole number) {
        whole = whole.add(big(number));
      } else {
        fractional = true;
        fraction += ((Total.Fraction) count).value();
      }
    }
    return fractional || whole.bitLength() >= Long.SIZE
        ? new Total.Fraction(whole.doubleValue() + fraction)
        : new Total.Whole(whole.longValueExact());
  }

  private static BigInteger big(Total.Whole number) {
    return BigInteger.valueOf(number.value());
  }
}
