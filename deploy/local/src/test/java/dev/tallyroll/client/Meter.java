package dev.tallyroll.client;

import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads the bill off the wire: every call that a client makes, and what Firestore charges for those
 * that succeed. An empty query is one read, and so is a sum of up to 1,000 shards. Thread-safe.
 */
final class Meter implements ClientInterceptor {
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();
  private final AtomicLong deletes = new AtomicLong();

  /** Since the last bill. */
  Bill bill() {
    return new Bill(
        calls.getAndSet(0), reads.getAndSet(0), writes.getAndSet(0), deletes.getAndSet(0));
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    calls.incrementAndGet();
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      private final AtomicBoolean emptyQuery = new AtomicBoolean();
      private final AtomicLong pendingWrites = new AtomicLong();
      private final AtomicLong pendingDeletes = new AtomicLong();

      @Override
      public void sendMessage(ReqT request) {
        emptyQuery.set(request instanceof RunQueryRequest);
        if (request instanceof CommitRequest commit) {
          long deleted = commit.getWritesList().stream().filter(write -> write.hasDelete()).count();
          pendingDeletes.set(deleted);
          pendingWrites.set(commit.getWritesCount() - deleted);
        }
        super.sendMessage(request);
      }

      @Override
      public void start(Listener<RespT> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(RespT answer) {
                if (isRead(answer)) {
                  emptyQuery.set(false);
                  reads.incrementAndGet();
                }
                super.onMessage(answer);
              }

              @Override
              public void onClose(Status status, Metadata trailers) {
                if (status.isOk()) {
                  reads.addAndGet(emptyQuery.get() ? 1 : 0);
                  writes.addAndGet(pendingWrites.get());
                  deletes.addAndGet(pendingDeletes.get());
                }
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
  }

  private static boolean isRead(Object answer) {
    return (answer instanceof BatchGetDocumentsResponse got
            && (got.hasFound() || !got.getMissing().isEmpty()))
        || (answer instanceof RunQueryResponse found && found.hasDocument())
        || (answer instanceof RunAggregationQueryResponse sum && sum.hasResult())
        || (answer instanceof ListenResponse heard
            && (heard.hasDocumentChange() || heard.hasDocumentDelete()));
  }
}
