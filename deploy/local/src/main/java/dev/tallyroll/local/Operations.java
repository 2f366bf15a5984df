package dev.tallyroll.local;

import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryResponse;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Firestore operations that the functions did. Immutable.
 *
 * @param reads documents read, and queries that found none
 * @param sums aggregation queries
 * @param writes documents written
 * @param deletes documents deleted
 */
public record Operations(long reads, long sums, long writes, long deletes) {
  public static final Operations NONE = new Operations(0, 0, 0, 0);

  public Operations plus(Operations other) {
    return new Operations(
        Math.addExact(reads, other.reads),
        Math.addExact(sums, other.sums),
        Math.addExact(writes, other.writes),
        Math.addExact(deletes, other.deletes));
  }

  public Operations minus(Operations other) {
    return new Operations(
        Math.subtractExact(reads, other.reads),
        Math.subtractExact(sums, other.sums),
        Math.subtractExact(writes, other.writes),
        Math.subtractExact(deletes, other.deletes));
  }

  /**
   * Counts them as they are billed, from the messages on the wire. Thread-safe.
   *
   * <p>A query reads at least one document (Firestore's page on pricing, "minimum charge for
   * queries"). A sum counts as one, which it is up to 1,000 shards. Writes that were refused are
   * not counted; those whose reply gets lost are.
   */
  static final class Meter {
    private static final String SERVICE = "google.firestore.v1.Firestore/";
    static final String COMMIT = SERVICE + "Commit";
    static final String LISTEN = SERVICE + "Listen";
    static final String BATCH_GET = SERVICE + "BatchGetDocuments";
    static final String QUERY = SERVICE + "RunQuery";
    static final String SUM = SERVICE + "RunAggregationQuery";

    /** Counts by the collection at the root that the documents are in, or below. */
    private final Map<String, LongAdder> reads = new ConcurrentHashMap<>();

    private final LongAdder sums = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final LongAdder deletes = new LongAdder();

    /**
     * An answer has come.
     *
     * @param counted whether this query has been counted by an answer before
     * @return whether it has been by now; one that is done without a document counts, too
     */
    boolean answered(String method, byte[] answer, boolean counted) {
      try {
        switch (method) {
          case BATCH_GET -> {
            var got = BatchGetDocumentsResponse.parseFrom(answer);
            String name = got.hasFound() ? got.getFound().getName() : got.getMissing();
            count(readsOf(name), got.hasFound() || !name.isEmpty());
          }
          case QUERY -> {
            var got = RunQueryResponse.parseFrom(answer);
            LongAdder reads = readsOf(got.getDocument().getName());
            return count(reads, got.hasDocument() || (got.getDone() && !counted)) || counted;
          }
          case SUM -> count(sums, RunAggregationQueryResponse.parseFrom(answer).hasResult());
          case LISTEN -> {
            var heard = ListenResponse.parseFrom(answer);
            count(readsOf(""), heard.hasDocumentChange() || heard.hasDocumentDelete());
          }
          default -> {}
        }
      } catch (InvalidProtocolBufferException garbled) {
        // The emulator sends such answers to listeners now and then; their client says so.
      }
      return counted;
    }

    /** A call has succeeded. */
    void succeeded(String method, byte[] request, boolean counted) {
      if (method.equals(QUERY) && !counted) {
        readsOf("").increment();
      } else if (method.equals(COMMIT)) {
        committed(request);
      }
    }

    private void committed(byte[] request) {
      try {
        for (var write : CommitRequest.parseFrom(request).getWritesList()) {
          (write.hasDelete() ? deletes : writes).increment();
        }
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalStateException("Firestore has taken a commit that cannot be read", e);
      }
    }

    private static boolean count(LongAdder counter, boolean counts) {
      if (counts) {
        counter.increment();
      }
      return counts;
    }

    /** Behind projects/P/databases/D/documents; none for a query that found no document. */
    private LongAdder readsOf(String name) {
      String[] parts = name.split("/", 7);
      String collection = parts.length > 5 ? parts[5] : "";
      return reads.computeIfAbsent(collection, first -> new LongAdder());
    }

    long readsIn(String collection) {
      return reads.containsKey(collection) ? reads.get(collection).sum() : 0;
    }

    Operations soFar() {
      long read = reads.values().stream().mapToLong(LongAdder::sum).sum();
      return new Operations(read, sums.sum(), writes.sum(), deletes.sum());
    }
  }
}
