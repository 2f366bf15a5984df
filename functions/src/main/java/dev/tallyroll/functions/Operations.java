package dev.tallyroll.functions;

import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Write;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the Firestore operations of this process as they are billed, and logs them, at most once a
 * second, while there are any. Safe for use by many threads.
 *
 * <p>A query reads at least one document (Firestore's page on pricing, "minimum charge for
 * queries"). A sum counts as one, which it is up to 1,000 shards. Writes that were refused are not
 * counted.
 */
final class Operations {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong sums = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();
  private final AtomicLong deletes = new AtomicLong();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final EventLoop loop;
  private final Journal journal;

  Operations(EventLoop loop, Journal journal) {
    this.loop = loop;
    this.journal = journal;
  }

  /** Takes note of a call that has succeeded, its request and one of its answers. */
  void answered(Object answer) {
    if (answer instanceof BatchGetDocumentsResponse got) {
      add(reads, got.hasFound() || !got.getMissing().isEmpty());
    } else if (answer instanceof RunQueryResponse found) {
      add(reads, found.hasDocument());
    } else if (answer instanceof RunAggregationQueryResponse sum) {
      add(sums, sum.hasResult());
    } else if (answer instanceof ListenResponse heard) {
      add(reads, heard.hasDocumentChange() || heard.hasDocumentDelete());
    }
  }

  void queriedInVain() {
    add(reads, true);
  }

  void committed(CommitRequest request) {
    for (Write write : request.getWritesList()) {
      add(write.hasDelete() ? deletes : writes, true);
    }
  }

  private void add(AtomicLong counter, boolean counts) {
    if (counts) {
      counter.incrementAndGet();
      if (scheduled.compareAndSet(false, true)) {
        var unused = loop.after(PERIOD).thenRun(this::log);
      }
    }
  }

  private void log() {
    scheduled.set(false);
    journal.write(
        Severity.DEBUG,
        "operations",
        Map.of(
            "reads", reads.get(),
            "sums", sums.get(),
            "writes", writes.get(),
            "deletes", deletes.get()));
  }
}
