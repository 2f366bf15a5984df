package dev.tallyroll.timestamps;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Query;
import java.util.Comparator;

/**
 * Where a document stands in the order: by its rising field, and by its path among equal ones,
 * which is Firestore's own order by {@code __name__}. Immutable.
 *
 * @param path below the database, such as {@code instruments/abc}
 */
record Position(Rise rise, String path) {
  private static final Comparator<Position> ASCENDING =
      Comparator.comparing(Position::rise).thenComparing(Position::path, PathOrder::compare);

  static Position of(DocumentSnapshot document, String timestampField) {
    String path = document.getReference().getPath();
    Object value = document.get(timestampField);
    if (value == null || !Rise.isUsable(value)) {
      throw new IllegalStateException(
          "%s: expected a timestamp or a number in %s; found %s"
              .formatted(path, timestampField, value));
    }
    return new Position(new Rise(value), path);
  }

  static Comparator<Position> order(Query.Direction direction) {
    return direction == Query.Direction.ASCENDING ? ASCENDING : ASCENDING.reversed();
  }

  /** The query's documents after this position. */
  Query after(Query query) {
    return query.startAfter(rise.value(), query.getFirestore().document(path));
  }
}
