package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The value of a rising field, in Firestore's order: timestamps, or integers and doubles by what
 * they stand for, so that 2 is beside 2.0. Those of different kinds never meet. Immutable.
 *
 * @param value a {@code Timestamp}, a {@code Long}, or a {@code Double} that is a number
 */
record Rise(Object value) implements Comparable<Rise> {
  private static final Pattern INTEGER = Pattern.compile("-?\\d+");

  Rise {
    if (!isUsable(value)) {
      throw new IllegalArgumentException("expected a timestamp or a number; found " + value);
    }
  }

  static boolean isUsable(@Nullable Object value) {
    return value instanceof Timestamp
        || value instanceof Long
        || (value instanceof Double number && !number.isNaN());
  }

  /** All of it: a time with its colons, a double with a point or as Infinity, or an integer. */
  String text() {
    return value instanceof Timestamp time
        ? Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toString()
        : value.toString();
  }

  /**
   * Reads a {@link #text}.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Rise parse(String text) {
    return new Rise(text.indexOf(':') >= 0 ? time(text) : number(text));
  }

  private static Object time(String text) {
    try {
      Instant time = Instant.parse(text);
      return Timestamp.ofTimeSecondsAndNanos(time.getEpochSecond(), time.getNano());
    } catch (DateTimeException noTime) {
      throw new IllegalArgumentException("expected a time; found " + text, noTime);
    }
  }

  private static Object number(String text) {
    return INTEGER.matcher(text).matches() ? (Object) Long.valueOf(text) : Double.valueOf(text);
  }

  @Override
  public int compareTo(Rise other) {
    return value instanceof Timestamp time && other.value instanceof Timestamp otherTime
        ? time.compareTo(otherTime)
        : compare((Number) value, (Number) other.value);
  }

  private static int compare(Number one, Number other) {
    if (one instanceof Long whole && other instanceof Long otherWhole) {
      return Long.compare(whole, otherWhole);
    }
    // A double cannot tell apart neighbouring integers above 2^53.
    return isFinite(one) && isFinite(other)
        ? exact(one).compareTo(exact(other))
        : Double.compare(one.doubleValue(), other.doubleValue());
  }

  private static boolean isFinite(Number number) {
    return Double.isFinite(number.doubleValue());
  }

  private static BigDecimal exact(Number number) {
    return number instanceof Long whole
        ? BigDecimal.valueOf(whole)
        : new BigDecimal(number.doubleValue());
  }
}
