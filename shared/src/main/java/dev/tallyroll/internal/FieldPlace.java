package dev.tallyroll.internal;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a document of an app's holds in the place of a field, before it is written: whatever else is
 * there, or on the way to it, would be replaced.
 *
 * @param number the number there
 * @param obstacle something else that is there, or on the way, such as {@code a text in stats}
 */
public record FieldPlace(Optional<Number> number, Optional<String> obstacle) {
  private static final FieldPlace EMPTY = new FieldPlace(Optional.empty(), Optional.empty());

  /**
   * Looks for the field.
   *
   * @param fields of the document, or those that the first name is among
   * @param path the names on the way to the field
   */
  public static FieldPlace in(@Nullable Map<?, ?> fields, List<String> path) {
    Map<?, ?> map = fields == null ? Map.of() : fields;
    for (int i = 0; map.containsKey(path.get(i)); i++) {
      Object value = map.get(path.get(i));
      boolean isLast = i == path.size() - 1;
      if (isLast && value instanceof Number number) {
        return new FieldPlace(Optional.of(number), Optional.empty());
      }
      if (isLast || !(value instanceof Map<?, ?> next)) {
        String found = kind(value) + " in " + String.join(".", path.subList(0, i + 1));
        return new FieldPlace(Optional.empty(), Optional.of(found));
      }
      map = next;
    }
    return EMPTY;
  }

  private static String kind(@Nullable Object value) {
    return value == null
        ? "null"
        : value instanceof String
            ? "a text"
            : value instanceof Number
                ? "a number"
                : value instanceof List
                    ? "a list"
                    : value instanceof Map ? "a map" : value.getClass().getSimpleName();
  }

  /** Whether nothing is there, and nothing but maps on the way. */
  public boolean isEmpty() {
    return equals(EMPTY);
  }
}
