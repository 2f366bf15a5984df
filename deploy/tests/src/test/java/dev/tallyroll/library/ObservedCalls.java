package dev.tallyroll.library;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.common.util.concurrent.Uninterruptibles;
import com.google.firestore.v1.RunQueryResponse;
import com.google.protobuf.MessageLite;
import dev.tallyroll.local.LocalCloud;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes the calls of one client: counts them, loses replies of commits that take effect, and
 * refuses listens. Thread-safe.
 */
public final class ObservedCalls implements ClientInterceptor {
  private final AtomicLong calls = new AtomicLong();
  private final AtomicInteger queries = new AtomicInteger();
  private final AtomicInteger documents = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger lost = new AtomicInteger();
  private volatile Supplier<Optional<Status>> fate = Optional::empty;
  private volatile boolean refusing;
  private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);
  private volatile Optional<CountDownLatch> gate = Optional.empty();
  private volatile boolean holding;

  public Firestore connect(LocalCloud cloud) {
    return connect(cloud, cloud.firestoreHost());
  }

  /**
   * A new client whose calls this observes. It is made without an emulator host, because it would
   * then make a channel without interceptors.
   *
   * @param host host and port of a wire to the emulator
   */
  Firestore connect(LocalCloud cloud, String host) {
    return FirestoreOptions.newBuilder()
        .setProjectId(cloud.project())
        .setDatabaseId(cloud.database())
        .setCredentials(new FirestoreOptions.EmulatorCredentials())
        .setChannelProvider(
            InstantiatingGrpcChannelProvider.newBuilder()
                .setEndpoint(host)
                .setChannelConfigurator(builder -> builder.usePlaintext())
                .setInterceptorProvider(() -> List.of(this))
                .build())
        .build()
        .getService();
  }

  /** The number of calls since the last question. */
  long calls() {
    return calls.getAndSet(0);
  }

  /** The number of queries so far, without aggregations. */
  public int queries() {
    return queries.get();
  }

  /** The calls that were observed. */
  public int documents() {
    return documents.get();
  }

  /** The size of all answers so far. */
  public long bytes() {
    return bytes.get();
  }

  /** Replaces replies of later commits by these errors; empty keeps the reply. */
  void decide(Supplier<Optional<Status>> wanted) {
    lost.set(0);
    fate = wanted;
  }

  /** Loses so many replies. */
  void loseNext(int replies, Status.Code code) {
    AtomicInteger left = new AtomicInteger(replies);
    decide(() -> left.getAndDecrement() > 0 ? Optional.of(code.toStatus()) : Optional.empty());
  }

  /** How many replies were lost since the last decision. Without any, a test proves nothing. */
  int lost() {
    return lost.get();
  }

  /** Makes the first answer to each later listen a refusal. The real call goes on unheard. */
  public void refuseToListen() {
    refusing = true;
  }

  /**
   * Sends so many calls more. Later ones wait for {@link #goOn}, or are never sent, as if the
   * process were dead.
   */
  void send(long calls, boolean isHeld) {
    holding = false;
    gate = isHeld ? Optional.of(new CountDownLatch(1)) : Optional.empty();
    left.set(calls);
  }

  boolean isHolding() {
    return holding;
  }

  void goOn() {
    gate.ifPresent(CountDownLatch::countDown);
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    calls.incrementAndGet();
    if (left.getAndDecrement() <= 0) {
      if (gate.isEmpty()) {
        return new Unsent<>();
      }
      holding = true;
      Uninterruptibles.awaitUninterruptibly(gate.get());
    }
    Optional<Status> instead = Optional.empty();
    boolean refused = false;
    switch (String.valueOf(method.getBareMethodName())) {
      case "Commit" -> instead = fate.get();
      case "RunQuery" -> queries.incrementAndGet();
      case "Listen" -> refused = refusing;
      default -> {}
    }
    return new Observed<>(next.newCall(method, options), instead, refused);
  }

  /** Fails with a code that no client tries again. */
  private static final class Unsent<Q, A> extends ClientCall<Q, A> {
    @Override
    public void start(Listener<A> listener, Metadata headers) {
      listener.onClose(Status.PERMISSION_DENIED.withDescription("dead"), new Metadata());
    }

    @Override
    public void request(int messages) {}

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {}

    @Override
    public void halfClose() {}

    @Override
    public void sendMessage(Q message) {}
  }

  private final class Observed<Q, A> extends SimpleForwardingClientCall<Q, A> {
    private final Optional<Status> instead;
    private final boolean refused;
    private final AtomicBoolean ended = new AtomicBoolean();

    Observed(ClientCall<Q, A> call, Optional<Status> instead, boolean refused) {
      super(call);
      this.instead = instead;
      this.refused = refused;
    }

    @Override
    public void start(Listener<A> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(A answer) {
              if (refused) {
                end(Status.PERMISSION_DENIED.withDescription("refused"), new Metadata());
                return;
              }
              if (answer instanceof MessageLite message) {
                bytes.addAndGet(message.getSerializedSize());
              }
              if (answer instanceof RunQueryResponse found && found.hasDocument()) {
                documents.incrementAndGet();
              }
              if (instead.isEmpty()) {
                super.onMessage(answer);
              }
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              instead.ifPresent(code -> lost.incrementAndGet());
              end(instead.map(code -> code.withDescription("reply lost")).orElse(status), trailers);
            }

            /** Ends the call once: the real end after a refusal is ignored. */
            private void end(Status status, Metadata trailers) {
              if (!ended.getAndSet(true)) {
                super.onClose(status, trailers);
              }
            }
          },
          headers);
    }
  }
}
