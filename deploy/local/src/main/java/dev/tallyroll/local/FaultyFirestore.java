package dev.tallyroll.local;

import io.grpc.CallOptions;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A wire to the Firestore emulator that can be disturbed: a gRPC server that forwards every call as
 * raw bytes, and delays, refuses, loses or breaks some of them. Clients that are pointed at it need
 * no hook for that, and cannot tell it from a bad network. Thread-safe.
 */
public final class FaultyFirestore implements AutoCloseable {
  private static final String COMMIT = "google.firestore.v1.Firestore/Commit";
  private static final int CLOSE_SECONDS = 5;

  /** Firestore's limit for a request is 10 MiB. */
  private static final int LARGEST_MESSAGE = 16 << 20;

  private static final RawBytes BYTES = new RawBytes();

  private final ManagedChannel firestore;
  private final Server server;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(FaultyFirestore::daemon);
  private final CallCounts.Counter counts = new CallCounts.Counter();
  private volatile CallFaultPlan plan;

  private FaultyFirestore(InetSocketAddress target, CallFaults faults) throws IOException {
    plan = new CallFaultPlan(faults);
    firestore =
        NettyChannelBuilder.forAddress(target)
            .usePlaintext()
            .directExecutor()
            .disableRetry()
            .maxInboundMessageSize(LARGEST_MESSAGE)
            .build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .directExecutor()
            .maxInboundMessageSize(LARGEST_MESSAGE)
            .fallbackHandlerRegistry(new AnyMethod())
            .build()
            .start();
  }

  /**
   * Starts one on a free port of 127.0.0.1.
   *
   * @param target host and port of the emulator, which need not run yet
   */
  public static FaultyFirestore start(String target, CallFaults faults) {
    int colon = target.lastIndexOf(':');
    var address =
        new InetSocketAddress(
            target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)));
    try {
      return new FaultyFirestore(address, faults);
    } catch (IOException e) {
      throw new UncheckedIOException("could not listen on a free port of " + Loopback.HOST, e);
    }
  }

  /** Host and port, in place of the emulator's. */
  public String address() {
    return Loopback.HOST + ":" + server.getPort();
  }

  /** From now on new calls are disturbed like this; they draw from their seed afresh. */
  public void inject(CallFaults wanted) {
    plan = new CallFaultPlan(wanted);
  }

  /** What was done since the start. */
  public CallCounts counts() {
    return counts.snapshot();
  }

  @Override
  public void close() {
    server.shutdownNow();
    firestore.shutdownNow();
    timer.shutdownNow();
    try {
      server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      firestore.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ServerCall.Listener<byte[]> relay(ServerCall<byte[], byte[]> caller, Metadata headers) {
    var method = caller.getMethodDescriptor();
    counts.calls.increment();
    if (method.getFullMethodName().equals(COMMIT)) {
      counts.commits.increment();
    }
    var fate = plan.next(method.getFullMethodName());
    if (fate.is(CallFault.REFUSED)) {
      counts.fired(CallFault.REFUSED);
      caller.close(fate.error(), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    var call = firestore.newCall(method, CallOptions.DEFAULT);
    return new RelayedCall(caller, call, fate, counts).start(headers, timer);
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "faulty-firestore");
    thread.setDaemon(true);
    return thread;
  }

  private final class AnyMethod extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
      var method =
          MethodDescriptor.newBuilder(BYTES, BYTES)
              .setFullMethodName(name)
              .setType(MethodType.UNKNOWN)
              .build();
      return ServerMethodDefinition.create(method, FaultyFirestore.this::relay);
    }
  }
}
