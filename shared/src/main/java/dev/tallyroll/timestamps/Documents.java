package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import java.util.Comparator;

/** How the client's documents are merged. Stateless. */
final class Documents {
  private Documents() {}

  static Merge<QueryDocumentSnapshot> merge(
      Query.Direction direction, String timestampField, int chunks) {
    Comparator<QueryDocumentSnapshot> order =
        Comparator.comparing(
            document -> Position.of(document, timestampField), Position.order(direction));
    return new Merge<>(order, document -> document.getReference().getPath(), chunks);
  }

  static Timestamp earlier(Timestamp one, Timestamp other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
