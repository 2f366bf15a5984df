package dev.tallyroll.internal;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a document of an app's holds in the place of a field, before it is written: whatever else is
 * there, or on the way to it, would be replaced.
 *
 * @param path the names on the way to the field, with dots between
 * @param value what is there, unless it is null
 * @param hindrance what keeps a value from being there, such as {@code a text in stats}: something
 *     else than a map on the way, or null
 */
public record FieldPlace(String path, Optional<Object> value, Optional<String> hindrance) {

  /**
   * Looks for the field.
   *
   * @param fields of the document, or those that the first name is among
   */
  public static FieldPlace in(@Nullable Map<?, ?> fields, FieldName field) {
    List<String> path = field.names();
    String name = field.toString();
    Map<?, ?> map = fields == null ? Map.of() : fields;
    for (int i = 0; map.containsKey(path.get(i)); i++) {
      Object found = map.get(path.get(i));
      if (i == path.size() - 1 && found != null) {
        return new FieldPlace(name, Optional.of(found), Optional.empty());
      }
      if (!(found instanceof Map<?, ?> next)) {
        FieldName where = new FieldName(path.subList(0, i + 1));
        return new FieldPlace(name, Optional.empty(), Optional.of(kind(found) + " in " + where));
      }
      map = next;
    }
    return new FieldPlace(name, Optional.empty(), Optional.empty());
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

  /** The number that is there. */
  public Optional<Number> number() {
    return value.filter(Number.class::isInstance).map(Number.class::cast);
  }

  /** What must stay, as no number can be written without replacing it. */
  public Optional<String> obstacle() {
    return hindrance.or(
        () ->
            value.filter(there -> !(there instanceof Number)).map(it -> kind(it) + " in " + path));
  }

  /** Whether nothing is there, and nothing but maps on the way. */
  public boolean isEmpty() {
    return value.isEmpty() && hindrance.isEmpty();
  }
}
