package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import dev.tallyroll.timestamps.IndexFile.Composite;
import dev.tallyroll.timestamps.IndexFile.Exemption;
import dev.tallyroll.timestamps.IndexFile.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The indexes that queries by a sharded timestamp need, as the text of {@code
 * firestore.indexes.json}. Immutable.
 *
 * <p>Each alternative of a query's filter gets a composite index: the shard field first, then the
 * fields that are filtered by, then the timestamp in its direction. Both single fields are
 * exempted, since an index that starts with the timestamp is limited to 500 writes a second. For
 * the same reason no other index of the collection may have the timestamp without the shard field
 * before it; what is there already has to be deleted by hand, once the new ones are built. The
 * values in the filters do not matter. An index costs storage and, in writes, latency, but no
 * operations.
 */
public final class TimestampIndexes {
  private final Fields fields;
  private final IndexFile file;

  private TimestampIndexes(Fields fields, IndexFile file) {
    this.fields = fields;
    this.file = file;
  }

  /** Starts without any. */
  public static TimestampIndexes of(ShardedTimestamp timestamp) {
    return new TimestampIndexes(timestamp.fields(), IndexFile.empty());
  }

  /**
   * Adds the indexes of a query whose pages are only read onwards, or that is listened to.
   *
   * @throws UnusableQueryException as {@link ShardedTimestamp#query} does
   */
  public TimestampIndexes with(Query base, Direction direction) {
    BaseQuery checked = BaseQuery.of(base, fields);
    List<Composite> indexes =
        checked.alternatives().stream()
            .map(terms -> Composite.of(checked, fields(terms, direction)))
            .toList();
    List<Exemption> exemptions = Exemption.of(checked.collection(), fields);
    return new TimestampIndexes(fields, file.and(new IndexFile(indexes, exemptions)));
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
            .sorted((left, right) -> left.fieldPath().compareTo(right.fieldPath()));
    List<Field> all = new ArrayList<>();
    all.add(Field.of(fields.shard(), Direction.ASCENDING));
    all.addAll(filtered.toList());
    all.add(Field.of(fields.timestamp(), direction));
    return List.copyOf(all);
  }

  /** The text of the file, to be deployed by the Firebase tools or by gcloud. */
  public String toJson() {
    return file.json();
  }
}
