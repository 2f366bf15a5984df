package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Query;
import java.util.Comparator;

/**
 * Where a document stands in the order: by its timestamp, and by its path among equal ones, which
 * is Firestore's own order by {@code __name__}. Immutable.
 *
 * @param path below the database, such as {@code instruments/abc}
 */
record Position(Timestamp time, String path) {
  private static final Comparator<Position> ASCENDING =
      Comparator.comparing(Position::time).thenComparing(Position::path, PathOrder::compare);

  static Position of(DocumentSnapshot document, String timestampField) {
    Timestamp time = document.getTimestamp(timestampField);
    if (time == null) {
      throw new IllegalStateException(
          document.getReference().getPath() + ": expected a timestamp in " + timestampField);
    }
    return new Position(time, document.getReference().getPath());
  }

  static Comparator<Position> order(Query.Direction direction) {
    return direction == Query.Direction.ASCENDING ? ASCENDING : ASCENDING.reversed();
  }

  /** The query's documents after this position. */
  Query after(Query query) {
    return query.startAfter(time, query.getFirestore().document(path));
  }
}
