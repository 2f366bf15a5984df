package dev.tallyroll.internal;

import com.google.cloud.firestore.FieldPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a value is in a document.
 *
 * @param names those on the way to it, at least one
 */
public record FieldName(List<String> names) {
  /** One of the names on the way, in a setting. */
  public static final String NAME = "[A-Za-z_][A-Za-z0-9_]{0,99}";

  /** A name such as {@code stats.likes}, in a setting. */
  public static final String PATTERN = NAME + "(\\." + NAME + "){0,9}";

  /** Copies the names. */
  public FieldName {
    names = List.copyOf(names);
  }

  public static FieldName of(String... names) {
    return new FieldName(List.of(names));
  }

  /** A field by its names with dots between; no name has a dot. */
  public static FieldName parse(String path) {
    return new FieldName(split(path));
  }

  /** The names of a path with dots between them, which may be empty. */
  static List<String> split(String path) {
    return List.of(path.split("\\.", -1));
  }

  /** The first name that no setting can have, such as one with a dot. */
  public Optional<String> unnameable() {
    return names.stream().filter(name -> !name.matches(NAME)).findFirst();
  }

  public String first() {
    return names.get(0);
  }

  public String last() {
    return names.get(names.size() - 1);
  }

  /** A field of this one. */
  public FieldName then(String name) {
    List<String> all = new ArrayList<>(names);
    all.add(name);
    return new FieldName(all);
  }

  /** A document's data with this field alone. */
  public Map<String, Object> alone(@Nullable Object value) {
    Map<String, Object> data = new LinkedHashMap<>();
    put(data, value);
    return data;
  }

  /** Puts a value into a document's data, and keeps what else is in the maps on the way to it. */
  @SuppressWarnings("unchecked") // names are the keys of a document's maps
  public void put(Map<String, Object> data, @Nullable Object value) {
    Map<String, Object> inner = data;
    for (String name : names.subList(0, names.size() - 1)) {
      Object held = inner.get(name);
      Map<String, Object> next =
          held instanceof Map ? (Map<String, Object>) held : new LinkedHashMap<>();
      inner.put(name, next);
      inner = next;
    }
    inner.put(last(), value);
  }

  public FieldPath path() {
    return FieldPath.of(names.toArray(String[]::new));
  }

  /**
   * The whole field of the document that holds it. A mask with a.b leaves out a text in the place
   * of a.
   */
  public FieldPath top() {
    return FieldPath.of(first());
  }

  /** Whether this field is one of the others, is inside one, or holds one. */
  public boolean meets(Set<FieldName> others) {
    return others.contains(this) || isInside(others);
  }

  /** Whether one of the others holds it, or the other way round. */
  public boolean isInside(Set<FieldName> others) {
    return others.stream().anyMatch(other -> holds(other) || other.holds(this));
  }

  private boolean holds(FieldName other) {
    int size = names.size();
    return size < other.names.size() && other.names.subList(0, size).equals(names);
  }

  /** The names with dots between, for people. */
  @Override
  public String toString() {
    return String.join(".", names);
  }
}
