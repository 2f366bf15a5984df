package dev.tallyroll.internal;

import com.google.cloud.firestore.Query;
import com.google.firestore.v1.Value;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * What the fields of a document must hold: all of them, each by Firestore's equality. Numbers are
 * equal as numbers, so 1 is 1.0, and -0 is 0; null is a value, which an absent field does not have;
 * texts are equal byte by byte. Source: <a
 * href="https://firebase.google.com/docs/firestore/manage-data/data-types">data types</a>.
 *
 * @param all a text, a {@code Long}, a finite {@code Double}, a truth value, or empty for null, by
 *     the field
 */
public record Conditions(Map<FieldName, Optional<Object>> all) {
  /** Each document counts. */
  public static final Conditions NONE = new Conditions(Map.of());

  /** Copies the map. */
  public Conditions {
    all = Map.copyOf(all);
  }

  /** The documents of a query that fulfil them. */
  public Query of(Query documents) {
    Query found = documents;
    for (var each : all.entrySet()) {
      found = found.whereEqualTo(each.getKey().path(), each.getValue().orElse(null));
    }
    return found;
  }

  /** Puts what a document must hold into its data. */
  public void putInto(Map<String, Object> data) {
    all.forEach((field, value) -> field.put(data, value.orElse(null)));
  }

  /** Whether a field that is there holds what it must. */
  public static boolean holds(Optional<Object> expected, Value found) {
    Object value = expected.orElse(null);
    return switch (found.getValueTypeCase()) {
      case NULL_VALUE -> value == null;
      case BOOLEAN_VALUE -> value instanceof Boolean truth && truth == found.getBooleanValue();
      case STRING_VALUE -> value instanceof String text && text.equals(found.getStringValue());
      case INTEGER_VALUE ->
          value instanceof Number number
              && isSame(number, BigDecimal.valueOf(found.getIntegerValue()));
      case DOUBLE_VALUE ->
          value instanceof Number number
              && Double.isFinite(found.getDoubleValue())
              && isSame(number, new BigDecimal(found.getDoubleValue()));
      default -> false;
    };
  }

  private static boolean isSame(Number expected, BigDecimal found) {
    BigDecimal exact =
        expected instanceof Double fraction
            ? new BigDecimal(fraction)
            : BigDecimal.valueOf(expected.longValue());
    return exact.compareTo(found) == 0;
  }
}
