package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.tallyroll.timestamps.BaseQuery.Term;
import dev.tallyroll.timestamps.Shards.Fields;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The indexes that queries by a sharded timestamp need, in the form of {@code
 * firestore.indexes.json}: an app that has such a file adds them to it. Immutable.
 *
 * <p>Each alternative of a query's filter gets a composite index: the shard field first, then the
 * fields that are filtered by, then the timestamp in its direction. Both single fields are
 * exempted, since an index that starts with the timestamp is limited to 500 writes a second. For
 * the same reason no other index of the collection may have the timestamp without the shard field
 * before it; delete such indexes by hand, once the new ones are built. The values in the filters do
 * not matter. An index costs storage and, in writes, latency, but no operations.
 */
public final class TimestampIndexes {
  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  private final transient Fields fields;

  // What the file says, in the names of that file.
  private final List<Composite> indexes;
  private final List<Exemption> fieldOverrides;

  /** A composite index; its scope is a collection of that id, or all of them. */
  private record Composite(String collectionGroup, String queryScope, List<Field> fields) {}

  /** A field of a composite index; has an order or, for elements of arrays, a configuration. */
  private record Field(String fieldPath, @Nullable String order, @Nullable String arrayConfig) {

    static Field of(String path, Direction direction) {
      return new Field(path, direction.name(), null);
    }

    static Field of(Term term) {
      return term.kind() == Term.Kind.ELEMENT
          ? new Field(term.field(), null, "CONTAINS")
          : of(term.field(), Direction.ASCENDING);
    }
  }

  /** With no index, the field is not indexed on its own. */
  private record Exemption(String collectionGroup, String fieldPath, List<Composite> indexes) {}

  private TimestampIndexes(Fields fields, List<Composite> indexes, List<Exemption> fieldOverrides) {
    this.fields = fields;
    this.indexes = indexes;
    this.fieldOverrides = fieldOverrides;
  }

  /** Starts without any. */
  public static TimestampIndexes of(ShardedTimestamp timestamp) {
    return new TimestampIndexes(timestamp.fields(), List.of(), List.of());
  }

  /**
   * Adds the indexes of a query whose pages are only read onwards, or that is listened to. An index
   * that is there already is not added again.
   *
   * @throws UnusableQueryException as {@link ShardedTimestamp#query} does
   */
  public TimestampIndexes with(Query base, Direction direction) {
    BaseQuery checked = BaseQuery.of(base, fields);
    String collection = checked.from().getCollectionId();
    String scope = checked.from().getAllDescendants() ? "COLLECTION_GROUP" : "COLLECTION";
    var more =
        checked.alternatives().stream()
            .map(terms -> new Composite(collection, scope, fields(terms, direction)));
    var exemptions =
        Stream.of(fields.shard(), fields.timestamp())
            .map(field -> new Exemption(collection, field, List.of()));
    return new TimestampIndexes(
        fields,
        Stream.concat(indexes.stream(), more).distinct().toList(),
        Stream.concat(fieldOverrides.stream(), exemptions).distinct().toList());
  }

  /** Adds the indexes of a query whose pages are read in both directions. */
  public TimestampIndexes withBothDirections(Query base) {
    return with(base, Direction.ASCENDING).with(base, Direction.DESCENDING);
  }

  /** In the order of names, so that two queries that differ in theirs share an index. */
  private List<Field> fields(List<Term> terms, Direction direction) {
    Stream<Field> filtered =
        terms.stream()
            .filter(term -> !term.field().equals(fields.timestamp()))
            .map(Field::of)
            .distinct()
            .sorted(Comparator.comparing(Field::fieldPath));
    return Stream.of(
            Stream.of(Field.of(fields.shard(), Direction.ASCENDING)),
            filtered,
            Stream.of(Field.of(fields.timestamp(), direction)))
        .flatMap(part -> part)
        .toList();
  }

  /** The text of such a file, which the Firebase tools deploy. */
  public String toJson() {
    return GSON.toJson(this) + "\n";
  }

  /** As {@link #toJson}. */
  @Override
  public String toString() {
    return toJson();
  }
}
