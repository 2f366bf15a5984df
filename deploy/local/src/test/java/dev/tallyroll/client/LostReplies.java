package dev.tallyroll.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Loses replies of commits: Firestore carries the commit out, and the client is told an error
 * instead. Thread-safe.
 */
final class LostReplies implements ClientInterceptor {
  private static final String COMMIT = "google.firestore.v1.Firestore/Commit";

  private final AtomicInteger lost = new AtomicInteger();
  private volatile Supplier<Optional<Status>> fate = Optional::empty;

  /** What becomes of each reply from now on: an error instead, or empty to let it through. */
  void decide(Supplier<Optional<Status>> wanted) {
    lost.set(0);
    fate = wanted;
  }

  /** Loses the next replies, and then no more. */
  void loseNext(int replies, Status.Code code) {
    AtomicInteger left = new AtomicInteger(replies);
    decide(() -> left.getAndDecrement() > 0 ? Optional.of(code.toStatus()) : Optional.empty());
  }

  /** How many have got lost since the last decision: a test in which none has proves nothing. */
  int lost() {
    return lost.get();
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    ClientCall<ReqT, RespT> call = next.newCall(method, options);
    Optional<Status> instead =
        method.getFullMethodName().equals(COMMIT) ? fate.get() : Optional.empty();
    return instead.isPresent() ? losing(call, instead.get()) : call;
  }

  private <ReqT, RespT> ClientCall<ReqT, RespT> losing(
      ClientCall<ReqT, RespT> call, Status instead) {
    return new SimpleForwardingClientCall<>(call) {
      @Override
      public void start(Listener<RespT> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(RespT reply) {}

              @Override
              public void onClose(Status status, Metadata trailers) {
                lost.incrementAndGet();
                super.onClose(instead.withDescription("reply lost by the test"), new Metadata());
              }
            },
            headers);
      }
    };
  }
}
