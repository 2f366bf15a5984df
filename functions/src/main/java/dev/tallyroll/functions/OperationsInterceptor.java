package dev.tallyroll.functions;

import com.google.firestore.v1.CommitRequest;
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
import org.jspecify.annotations.Nullable;

/** Tells {@link Operations} of every call that the Firestore client makes. */
final class OperationsInterceptor implements ClientInterceptor {
  private final Operations operations;

  OperationsInterceptor(Operations operations) {
    this.operations = operations;
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    return new Counted<>(next.newCall(method, options));
  }

  private final class Counted<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private volatile @Nullable Object request;
    private volatile boolean found;

    Counted(ClientCall<ReqT, RespT> call) {
      super(call);
    }

    @Override
    public void sendMessage(ReqT message) {
      request = message;
      super.sendMessage(message);
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(RespT answer) {
              found |= answer instanceof RunQueryResponse response && response.hasDocument();
              operations.answered(answer);
              super.onMessage(answer);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              if (status.isOk()) {
                closed();
              }
              super.onClose(status, trailers);
            }
          },
          headers);
    }

    private void closed() {
      if (request instanceof CommitRequest commit) {
        operations.committed(commit);
      } else if (request instanceof RunQueryRequest && !found) {
        operations.queriedInVain();
      }
    }
  }
}
