package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Query;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a document stands in Firestore's order: by its rising field, and by its path among equal
 * ones. Immutable.
 *
 * @param value a {@code Timestamp}, a {@code Long}, or a {@code Double} that is a number; those of
 *     different kinds never meet
 * @param path below the database, such as {@code instruments/abc}
 */
record Position(Object value, String path) {
  private static final Comparator<Position> ASCENDING =
      Comparator.comparing(Position::value, Position::compareValues)
          .thenComparing(Position::path, Position::comparePaths);

  /** Numeric ids, which only Datastore makes, come before all others. */
  private static final Pattern NUMERIC = Pattern.compile("__id(-?\\d{1,19})__");

  /** Firestore compares by code points, Java by chars. */
  private static final Comparator<String> SEGMENTS =
      Comparator.comparing(
              Position::numericId, Comparator.nullsLast(Comparator.<BigInteger>naturalOrder()))
          .thenComparing(segment -> segment.getBytes(UTF_8), Arrays::compareUnsigned);

  Position {
    if (!isUsable(value)) {
      throw new IllegalArgumentException(
          "%s: expected a timestamp or a number; found %s".formatted(path, value));
    }
  }

  private static boolean isUsable(@Nullable Object value) {
    return value instanceof Timestamp
        || value instanceof Long
        || (value instanceof Double number && !number.isNaN());
  }

  static Position of(DocumentSnapshot document, String timestampField) {
    return new Position(document.get(timestampField), document.getReference().getPath());
  }

  static Comparator<DocumentSnapshot> order(String timestampField, Query.Direction direction) {
    return Comparator.comparing(
        document -> of(document, timestampField),
        direction == Query.Direction.ASCENDING ? ASCENDING : ASCENDING.reversed());
  }

  /** The query's documents after this position. */
  Query after(Query query) {
    return query.startAfter(value, query.getFirestore().document(path));
  }

  /** Numbers by what they stand for, so that 2 is beside 2.0. */
  static int compareValues(Object left, Object right) {
    if (left instanceof Timestamp time) {
      return time.compareTo((Timestamp) right);
    }
    Number one = (Number) left;
    Number other = (Number) right;
    // A double cannot tell apart neighbouring integers above 2^53.
    return Double.isFinite(one.doubleValue()) && Double.isFinite(other.doubleValue())
        ? exact(one).compareTo(exact(other))
        : Double.compare(one.doubleValue(), other.doubleValue());
  }

  private static BigDecimal exact(Number number) {
    return number instanceof Long whole
        ? BigDecimal.valueOf(whole)
        : new BigDecimal(number.doubleValue());
  }

  /** The order by {@code __name__}: segment by segment. */
  static int comparePaths(String left, String right) {
    return Arrays.compare(left.split("/", -1), right.split("/", -1), SEGMENTS);
  }

  /** Nineteen digits may be more than a long holds. */
  private static @Nullable BigInteger numericId(String segment) {
    Matcher numeric = NUMERIC.matcher(segment);
    return numeric.matches() ? new BigInteger(numeric.group(1)) : null;
  }
}
