package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Reads one page: all chunks side by side, then again the chunk that runs dry. For one page only;
 * its futures follow one another, so it needs no lock.
 */
final class PageReader {
  private final List<Query> chunks;
  private final String timestampField;
  private final Batches batches;
  private final Merge<QueryDocumentSnapshot> merge;
  private Timestamp readTime = Timestamp.MAX_VALUE;
  private int documentsRead;

  /**
   * Prepares a page.
   *
   * @param chunks the queries, ordered, each from where the page starts
   */
  PageReader(List<Query> chunks, Query.Direction direction, String timestampField, int wanted) {
    this.chunks = new ArrayList<>(chunks);
    this.timestampField = timestampField;
    this.batches = new Batches(wanted, chunks.size());
    this.merge = Documents.merge(direction, timestampField, chunks.size());
  }

  /** What was read, in order. */
  record Answer(List<QueryDocumentSnapshot> documents, Timestamp readTime, int documentsRead) {}

  ApiFuture<Answer> read() {
    List<ApiFuture<QuerySnapshot>> first = new ArrayList<>();
    for (Query chunk : chunks) {
      first.add(chunk.limit(batches.size()).get());
    }
    return ApiFutures.transformAsync(
        ApiFutures.allAsList(first), this::takeAll, MoreExecutors.directExecutor());
  }

  private ApiFuture<Answer> takeAll(List<QuerySnapshot> answers) {
    for (int chunk = 0; chunk < answers.size(); chunk++) {
      take(chunk, answers.get(chunk), batches.size());
    }
    return advance();
  }

  /** Each round ends the page or uses up a whole batch, so there are few. */
  private ApiFuture<Answer> advance() {
    OptionalInt dry = merge.advance(batches.wanted());
    if (dry.isEmpty()) {
      return ApiFutures.immediateFuture(new Answer(merge.merged(), readTime, documentsRead));
    }
    int chunk = dry.getAsInt();
    int size = batches.size(merge.merged().size());
    return ApiFutures.transformAsync(
        chunks.get(chunk).limit(size).get(),
        answer -> {
          take(chunk, answer, size);
          return advance();
        },
        MoreExecutors.directExecutor());
  }

  private void take(int chunk, QuerySnapshot answer, int asked) {
    List<QueryDocumentSnapshot> documents = answer.getDocuments();
    merge.add(chunk, documents, documents.size() < asked);
    documentsRead += documents.size();
    readTime = Documents.earlier(readTime, answer.getReadTime());
    if (!documents.isEmpty()) {
      Position last = Position.of(documents.get(documents.size() - 1), timestampField);
      chunks.set(chunk, last.after(chunks.get(chunk)));
    }
  }
}
