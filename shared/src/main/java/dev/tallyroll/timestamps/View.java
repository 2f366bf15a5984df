package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import java.util.List;

/**
 * What a listener sees: the first documents in the order of their timestamps. Immutable.
 *
 * @param readTime the earliest of the times of the chunks' last snapshots
 */
public record View(List<QueryDocumentSnapshot> documents, Timestamp readTime) {

  public View {
    documents = List.copyOf(documents);
  }
}
