package dev.tallyroll.operator;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The index settings of fields, from the answers of {@code gcloud firestore indexes fields list}
 * and {@code gcloud firestore fields ttls list}. Immutable.
 *
 * <p>The nearest setting of a field holds: its own, that of a map around it, that of all fields (*)
 * of its collection, or of the database.
 *
 * @see <a href="https://cloud.google.com/firestore/docs/solutions/index-map-field">Google's
 *     page</a>
 */
final class FieldIndexes {
  private static final String ALL = "*";

  /** A field of all collections of a name. */
  record Field(String collection, String path) {
    @Override
    public String toString() {
      return collection + "." + path;
    }

    /** The field as one word, which bash takes apart. */
    String word() {
      return collection + "/" + path;
    }
  }

  private final Map<Field, Integer> indexes = new HashMap<>();
  private final Set<Field> expiring = new HashSet<>();
  private final Set<Field> building = new HashSet<>();

  FieldIndexes(List<JsonObject> fields, List<JsonObject> ttls) {
    for (JsonObject field : fields) {
      List<JsonObject> found = Answers.objects(field, "indexConfig", "indexes");
      indexes.put(field(field), found.size());
      if (found.stream().anyMatch(index -> Answers.text(index, "state").equals("CREATING"))) {
        building.add(field(field));
      }
    }
    ttls.forEach(field -> expiring.add(field(field)));
  }

  /** {@code projects/P/databases/D/collectionGroups/C/fields/F}. */
  private static Field field(JsonObject setting) {
    String[] name = Answers.text(setting, "name").split("/", 8);
    return name.length == 8 ? new Field(name[5], name[7]) : new Field("", "");
  }

  /** How many indexes a field has by a setting of its own; empty if there is no such setting. */
  Optional<Integer> own(Field field) {
    return Optional.ofNullable(indexes.get(field));
  }

  /** Whether a field has no index, by a setting of its own. */
  boolean isExempt(Field field) {
    return Objects.equals(indexes.get(field), 0);
  }

  /** Whether an index of a field is being made: no sum can read it yet. */
  boolean isBuilding(Field field) {
    return building.contains(field);
  }

  boolean isExpiring(Field field) {
    return expiring.contains(field);
  }

  /** What leaves a field without an index; empty if it has one. */
  Optional<Field> exemption(Field field) {
    return nearest(Stream.concat(Stream.of(field), around(field)));
  }

  private Optional<Field> nearest(Stream<Field> fields) {
    return fields.filter(indexes::containsKey).findFirst().filter(this::isExempt);
  }

  private static Stream<Field> around(Field field) {
    Stream<Field> maps =
        Stream.iterate(
                field.path(),
                path -> path.contains("."),
                path -> path.substring(0, path.lastIndexOf('.')))
            .map(path -> new Field(field.collection(), path.substring(0, path.lastIndexOf('.'))));
    return Stream.concat(
        maps, Stream.of(new Field(field.collection(), ALL), new Field("__default__", ALL)));
  }

  /**
   * The flag that gives a field an index again: it needs no setting of its own, or, if others
   * exempt it, it needs one.
   */
  String again(Field field) {
    return nearest(around(field)).isPresent() ? "--index=order=ascending" : "--clear-exemption";
  }
}
