package dev.tallyroll.timestamps;

import com.google.cloud.firestore.QueryDocumentSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A page of documents in the order of their timestamps. Immutable. */
public final class Page {
  private final List<QueryDocumentSnapshot> documents;
  private final Optional<String> next;
  private final Optional<String> previous;
  private final Instant readTime;
  private final int documentsRead;

  Page(
      List<QueryDocumentSnapshot> documents,
      Optional<String> next,
      Optional<String> previous,
      Instant readTime,
      int documentsRead) {
    this.documents = List.copyOf(documents);
    this.next = next;
    this.previous = previous;
    this.readTime = readTime;
    this.documentsRead = documentsRead;
  }

  /** In order; at most as many as asked for. */
  public List<QueryDocumentSnapshot> documents() {
    return documents;
  }

  /** The token of the page after; empty if there was none when this page was read. */
  public Optional<String> next() {
    return next;
  }

  /** The token of the page before; empty if there was none. */
  public Optional<String> previous() {
    return previous;
  }

  /**
   * The earliest of the times at which the page's queries were read: a write that committed later
   * may be missing.
   */
  public Instant readTime() {
    return readTime;
  }

  /** What the page cost, in documents; an empty query costs one read besides. */
  public int documentsRead() {
    return documentsRead;
  }
}
