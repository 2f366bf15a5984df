package dev.tallyroll.client;

import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
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
    return new Metered<>(next.newCall(method, options));
  }

  private final class Metered<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private final AtomicBoolean unanswered = new AtomicBoolean(true);
    private volatile long written;
    private volatile long deleted;

    Metered(ClientCall<ReqT, RespT> call) {
      super(call);
    }

    @Override
    public void sendMessage(ReqT request) {
      if (request instanceof CommitRequest commit) {
        deleted = commit.getWritesList().stream().filter(write -> write.hasDelete()).count();
        written = commit.getWritesCount() - deleted;
      }
      super.sendMessage(request);
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(RespT answer) {
              answered(answer);
              super.onMessage(answer);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              writes.addAndGet(status.isOk() ? written : 0);
              deletes.addAndGet(status.isOk() ? deleted : 0);
              super.onClose(status, trailers);
            }
          },
          headers);
    }

    /** The client takes a query's last answer for its end, so an empty one is told by its first. */
    private void answered(RespT answer) {
      boolean isFirst = answer instanceof RunQueryResponse && unanswered.getAndSet(false);
      reads.addAndGet(isRead(answer) || isFirst ? 1 : 0);
    }
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
