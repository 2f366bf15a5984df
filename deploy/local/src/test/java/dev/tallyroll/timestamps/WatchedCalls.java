package dev.tallyroll.timestamps;

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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the queries that a client makes and the documents that they answer; can refuse to listen.
 * Thread-safe.
 */
final class WatchedCalls implements ClientInterceptor {
  private static final String QUERY = "RunQuery";
  private static final String LISTEN = "Listen";

  private final AtomicInteger queries = new AtomicInteger();
  private final AtomicInteger documents = new AtomicInteger();
  private volatile boolean refusing;

  int queries() {
    return queries.get();
  }

  int documents() {
    return documents.get();
  }

  void refuseToListen() {
    refusing = true;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    String name = method.getBareMethodName();
    if (QUERY.equals(name)) {
      queries.incrementAndGet();
    }
    boolean refused = refusing && LISTEN.equals(name);
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(refused ? refusing(listener) : counting(listener), headers);
      }
    };
  }

  private <A> ClientCall.Listener<A> counting(ClientCall.Listener<A> listener) {
    return new SimpleForwardingClientCallListener<>(listener) {
      @Override
      public void onMessage(A answer) {
        if (answer instanceof RunQueryResponse response && response.hasDocument()) {
          documents.incrementAndGet();
        }
        super.onMessage(answer);
      }
    };
  }

  /** The real call goes on and is not heard of: the client sees a refusal at its first answer. */
  private static <A> ClientCall.Listener<A> refusing(ClientCall.Listener<A> listener) {
    AtomicInteger answers = new AtomicInteger();
    return new SimpleForwardingClientCallListener<>(listener) {
      @Override
      public void onMessage(A answer) {
        if (answers.getAndIncrement() == 0) {
          super.onClose(Status.PERMISSION_DENIED.withDescription("refused"), new Metadata());
        }
      }

      @Override
      public void onClose(Status status, Metadata trailers) {
        if (answers.getAndIncrement() == 0) {
          super.onClose(status, trailers);
        }
      }
    };
  }
}
