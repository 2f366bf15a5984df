package dev.tallyroll.deploy;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunQueryRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What a Firestore client asks, taken from the wire before it leaves: nobody answers. Thread-safe.
 */
final class SentQueries implements ClientInterceptor {

  private final List<IndexNeed> needs = new CopyOnWriteArrayList<>();

  /** What the queries need that were sent so far. */
  List<IndexNeed> needs() {
    return List.copyOf(needs);
  }

  Firestore client() {
    InstantiatingGrpcChannelProvider channel =
        InstantiatingGrpcChannelProvider.newBuilder()
            .setEndpoint("127.0.0.1:1") // Never dialled.
            .setInterceptorProvider(() -> List.of(this))
            .build();
    return FirestoreOptions.newBuilder()
        .setProjectId("p")
        .setCredentials(new FirestoreOptions.EmulatorCredentials())
        .setChannelProvider(channel)
        .build()
        .getService();
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    return new Unanswered<>();
  }

  private void sent(Object message) {
    if (message instanceof RunQueryRequest query) {
      needs.add(IndexNeed.of(query.getStructuredQuery()));
    } else if (message instanceof RunAggregationQueryRequest query) {
      needs.add(IndexNeed.of(query.getStructuredAggregationQuery()));
    }
  }

  /** Ends with an error that the client does not repeat. */
  private final class Unanswered<ReqT, RespT> extends ClientCall<ReqT, RespT> {
    private @Nullable Listener<RespT> listener;

    @Override
    public void start(Listener<RespT> answers, Metadata headers) {
      listener = answers;
    }

    @Override
    public void sendMessage(ReqT message) {
      sent(message);
    }

    @Override
    public void halfClose() {
      if (listener != null) {
        listener.onClose(Status.UNIMPLEMENTED, new Metadata());
      }
    }

    @Override
    public void request(int messages) {}

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {}
  }
}
