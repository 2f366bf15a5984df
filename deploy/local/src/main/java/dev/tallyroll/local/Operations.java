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
 * Firestore operations. Immutable.
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
   * Counts operations from the messages on the wire, as Firestore bills them. Thread-safe.
   *
   * <p>A query reads at least one document (Firestore's page on pricing, "minimum charge for
   * queries"). A sum counts as one, as for up to 1,000 shards. Refused writes do not count; writes
   * with lost replies do.
   */
  static final class Meter {
    private static final String SERVICE = "google.firestore.v1.Firestore/";
    static final String COMMIT = SERVICE + "Commit";
    static final String LISTEN = SERVICE + "Listen";
    static final String BATCH_GET = SERVICE + "BatchGetDocuments";
    static final String QUERY = SERVICE + "RunQuery";
    static final String SUM = SERVICE + "RunAggregationQuery";

    /** Reads by the first collection in the documents' paths. */
    private final Map<String, LongAdder> reads = new ConcurrentHashMap<>();

    private final LongAdder sums = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final LongAdder deletes = new LongAdder();

    /**
     * Counts an answer.
     *
     * @param counted whether an earlier answer to this query was counted
     * @return whether an answer was counted by now; the end of a query that found nothing counts
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
        // The emulator sends such answers to listeners now and then; their client reports them.
      }
      return counted;
    }

    /** Counts a call that has succeeded. */
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

    /** The counter for a document's first collection; one without a name for no document. */
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
