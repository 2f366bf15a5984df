package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Query.Direction;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code firestore.indexes.json} says, in the names of that file. Immutable.
 *
 * @param indexes the composite indexes
 * @param fieldOverrides the exemptions from single-field indexes
 */
record IndexFile(List<Composite> indexes, List<Exemption> fieldOverrides) {
  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  /** A composite index; its scope is a collection of that id, or all of them. */
  record Composite(String collectionGroup, String queryScope, List<Field> fields) {

    static Composite of(BaseQuery base, List<Field> fields) {
      String scope = base.isGroup() ? "COLLECTION_GROUP" : "COLLECTION";
      return new Composite(base.collection(), scope, fields);
    }
  }

  /** A field of a composite index; has an order or, for elements of arrays, a configuration. */
  record Field(String fieldPath, @Nullable String order, @Nullable String arrayConfig) {

    static Field of(String path, Direction direction) {
      return new Field(path, direction.name(), null);
    }

    static Field of(Term term) {
      return term.kind() == Term.Kind.ELEMENT
          ? new Field(term.field(), null, "CONTAINS")
          : of(term.field(), Direction.ASCENDING);
    }
  }

  /** An exemption: with no index, the field is not indexed on its own. */
  record Exemption(String collectionGroup, String fieldPath, List<Composite> indexes) {

    static List<Exemption> of(String collection, Fields fields) {
      return List.of(
          new Exemption(collection, fields.shard(), List.of()),
          new Exemption(collection, fields.timestamp(), List.of()));
    }
  }

  static IndexFile empty() {
    return new IndexFile(List.of(), List.of());
  }

  /** This and the other; what both say is said once. */
  IndexFile and(IndexFile other) {
    return new IndexFile(
        distinct(indexes, other.indexes), distinct(fieldOverrides, other.fieldOverrides));
  }

  private static <T> List<T> distinct(List<T> left, List<T> right) {
    return Stream.concat(left.stream(), right.stream()).distinct().toList();
  }

  String json() {
    return GSON.toJson(this) + "\n";
  }
}
