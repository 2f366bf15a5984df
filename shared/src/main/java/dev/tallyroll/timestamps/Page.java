package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * A page of documents in the order of their timestamps. Immutable.
 *
 * @param documents in order; at most as many as asked for
 * @param next the token of the page after; empty if there was none when this page was read
 * @param previous the token of the page before; empty if there was none
 * @param readTime the earliest of the times at which the page's queries were read: a write that
 *     committed later may be missing
 * @param documentsRead what the page cost, in documents; an empty query costs one read besides
 */
public record Page(
    List<QueryDocumentSnapshot> documents,
    Optional<String> next,
    Optional<String> previous,
    Timestamp readTime,
    int documentsRead) {

  public Page {
    documents = List.copyOf(documents);
  }
}
