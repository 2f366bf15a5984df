package dev.tallyroll.fold;

import dev.tallyroll.internal.FieldName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A shard as it was read: a client's own, or a partial of the extension, which holds the sums of
 * shards that are gone in a list of updates.
 *
 * @param version its update time
 */
public record Shard(String id, Instant version, Map<String, Object> fields) {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
  private static final String UPDATES = "_updates_";
  private static final String DATA = "_data_";
  private static final String ID = "_id_";

  /**
   * What becomes of a shard, if it is still at the version that was read.
   *
   * @param fields the fields to change, by the names on the way to them, with their new values:
   *     empty to remove one; no fields at all: the shard is deleted
   */
  public record Change(Shard shard, Map<FieldName, Optional<Object>> fields) {}

  /** Whether this may be a shard of a sharded counter, whose ids are numbers. */
  boolean isNumbered() {
    return NUMBER.matcher(id).matches();
  }

  /** All its values, numbers and others; public for whoever compares totals with shards. */
  public List<Leaf> leaves() {
    List<Leaf> leaves = new ArrayList<>();
    updates()
        .orElse(List.of(fields))
        .forEach(numbers -> collect(Optional.empty(), numbers, leaves));
    return leaves;
  }

  /** What each update of a partial holds; empty for a client's shard. */
  private Optional<List<Map<?, ?>>> updates() {
    if (!id.startsWith("\t") || !(fields.get(UPDATES) instanceof List<?> all)) {
      return Optional.empty();
    }
    List<Map<?, ?>> found = new ArrayList<>();
    for (Object update : all) {
      if (fields.size() > 1
          || !(update instanceof Map<?, ?> map)
          || !(map.get(DATA) instanceof Map<?, ?> data)) {
        return Optional.empty();
      }
      found.add(data);
    }
    return Optional.of(found);
  }

  private static void collect(Optional<FieldName> way, Map<?, ?> fields, List<Leaf> leaves) {
    fields.forEach(
        (name, value) -> {
          String own = (String) name;
          FieldName path = way.map(above -> above.then(own)).orElse(FieldName.of(own));
          if (value instanceof Map<?, ?> inner) {
            collect(Optional.of(path), inner, leaves);
          } else {
            leaves.add(new Leaf(path, Optional.ofNullable(value)));
          }
        });
  }

  /** What becomes of it once some of its values have been moved, while others stay. */
  Change without(List<Leaf> moved, List<Leaf> left) {
    Map<FieldName, Optional<Object>> changes = new HashMap<>();
    if (left.isEmpty()) {
      return new Change(this, changes);
    }
    if (updates().isPresent()) {
      // A path may come more than once, so each value stays in an update of its own.
      List<Object> rest = new ArrayList<>();
      left.forEach(
          leaf ->
              rest.add(
                  Map.of(
                      ID,
                      "rest-" + rest.size(),
                      DATA,
                      leaf.path().alone(leaf.value().orElse(null)))));
      changes.put(FieldName.of(UPDATES), Optional.of(rest));
    } else {
      moved.forEach(leaf -> changes.put(leaf.path(), Optional.empty()));
    }
    return new Change(this, changes);
  }

  /**
   * A value of a shard.
   *
   * @param value empty for null
   */
  public record Leaf(FieldName path, Optional<Object> value) {
    /** Whether a value can be added, or be added to: a number that is finite. */
    static boolean isNumber(Object value) {
      return value instanceof Long || (value instanceof Double it && Double.isFinite(it));
    }

    public Optional<Number> number() {
      return value.filter(Leaf::isNumber).map(Number.class::cast);
    }

    /** What its value is, in a word: the value itself may be long. */
    String kind() {
      return value
          .map(
              object ->
                  object instanceof Double ? object.toString() : object.getClass().getSimpleName())
          .orElse("null");
    }
  }
}
