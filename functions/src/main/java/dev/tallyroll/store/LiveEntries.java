package dev.tallyroll.store;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.Part;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * The queries of a live list.
 *
 * @param calls those that must not wait for others
 */
public record LiveEntries(Firestore firestore, String path, Calls calls) {
  /** A field of an entry: the server's time of the request that wrote it. */
  public static final String SINCE = "since";

  /** More live entries than a worker can tick in time, and a bound on one answer. */
  private static final int MOST = 20_000;

  public CollectionReference collection() {
    return firestore.collection(path);
  }

  /** Reads a part of the list. */
  public CompletableFuture<QuerySnapshot> in(Part part) {
    Query all = collection().orderBy(FieldPath.documentId());
    return read(all.startAt(part.from()).endBefore(part.to()));
  }

  /** Reads the entries of all parts that were written later than {@code since}. */
  public CompletableFuture<QuerySnapshot> writtenAfter(Instant since) {
    return read(collection().whereGreaterThan(SINCE, Times.timestamp(since)));
  }

  private CompletableFuture<QuerySnapshot> read(Query query) {
    return calls.make(() -> query.limit(MOST).get());
  }

  /** Whether an answer has as many entries as an answer may have, so that there may be more. */
  public static boolean isCut(QuerySnapshot answer) {
    return answer.size() == MOST;
  }
}
