package dev.tallyroll.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets somebody else act just before a commit is sent, when all that it rests on has been read.
 * Thread-safe.
 */
final class Between implements ClientInterceptor {
  private static final String COMMIT = "google.firestore.v1.Firestore/Commit";

  private final AtomicReference<Act> next = new AtomicReference<>(Between::nothing);

  private static void nothing() {}

  /** Once, before the next commit. */
  void beforeCommit(Act act) {
    next.set(act);
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel channel) {
    if (method.getFullMethodName().equals(COMMIT)) {
      perform(next.getAndSet(Between::nothing));
    }
    return channel.newCall(method, options);
  }

  private static void perform(Act act) {
    try {
      act.perform();
    } catch (Exception failure) {
      throw new IllegalStateException("the act between read and commit failed", failure);
    }
  }

  interface Act {
    void perform() throws Exception;
  }
}
