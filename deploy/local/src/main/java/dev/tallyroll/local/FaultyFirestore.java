package dev.tallyroll.local;

import com.google.common.collect.Sets;
import com.google.common.net.HostAndPort;
import com.google.common.util.concurrent.AtomicLongMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.tallyroll.local.CallFaults.Draw;
import dev.tallyroll.local.CallFaults.Fate;
import dev.tallyroll.local.Operations.Meter;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The wire to the Firestore emulator. Its gRPC servers forward every call as raw bytes and count
 * its cost, and can delay, refuse, lose or break some calls. Clients connect to it as to the
 * emulator, and cannot tell it from a bad network. Thread-safe.
 */
public final class FaultyFirestore implements AutoCloseable {
  private static final int CLOSE_SECONDS = 5;

  /** Firestore's own answers to a commit whose preconditions do not hold, or that met another. */
  private static final Set<Status.Code> REFUSALS =
      Sets.immutableEnumSet(
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ABORTED,
          Status.Code.NOT_FOUND,
          Status.Code.ALREADY_EXISTS);

  /** Firestore's limit for a request is 10 MiB. */
  private static final int LARGEST_MESSAGE = 16 << 20;

  private static final Marshaller<byte[]> BYTES = new RawBytes();

  /**
   * gRPC's server logs here the stack trace of each stream that a killed function leaves open. The
   * field keeps the logger, as an unused logger forgets its level.
   */
  private static final Logger STREAM_ERRORS =
      Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

  static {
    STREAM_ERRORS.setLevel(Level.OFF);
  }

  private final ManagedChannel firestore;
  private final List<Server> servers = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("faulty-firestore").setDaemon(true).build());
  private final AtomicLongMap<Occurrence> counts = AtomicLongMap.create();
  private volatile Draw faults = new Draw(CallFaults.NONE);

  /** A port that leads to the emulator, and counts its callers' operations. Thread-safe. */
  public static final class Port {
    private final Meter meter = new Meter();
    private final Server server;

    private Port(FaultyFirestore wire, int mostStreams) {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try {
        server =
            NettyServerBuilder.forAddress(address)
                .directExecutor()
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .maxConcurrentCallsPerConnection(mostStreams)
                .fallbackHandlerRegistry(wire.forwarding(meter))
                .build()
                .start();
      } catch (IOException e) {
        throw new UncheckedIOException("could not listen on a free port of " + Loopback.HOST, e);
      }
    }

    /** The host and port of the port, which clients use in place of the emulator's. */
    public String address() {
      return Loopback.HOST + ":" + server.getPort();
    }

    /** The operations through this port since it was opened. */
    public Operations operations() {
      return meter.soFar();
    }

    /** The number of documents read in this collection at the root and below it. */
    long readsIn(String collection) {
      return meter.readsIn(collection);
    }
  }

  /**
   * Makes a wire without lines.
   *
   * @param target host and port of the emulator, which may start later
   */
  public FaultyFirestore(String target) {
    var emulator = HostAndPort.fromString(target);
    this.firestore =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(emulator.getHost(), emulator.getPort()))
            .usePlaintext()
            .directExecutor()
            .disableRetry()
            .maxInboundMessageSize(LARGEST_MESSAGE)
            .build();
  }

  /** Another port of 127.0.0.1, with the same faults. */
  public Port open() {
    return open(Integer.MAX_VALUE);
  }

  /** As {@link #open()}, with a limit for the calls in flight on each connection. */
  public Port open(int mostStreams) {
    var port = new Port(this, mostStreams);
    servers.add(port.server);
    return port;
  }

  /** Disturbs later calls like this, and starts the random choices anew from the seed. */
  public void inject(CallFaults wanted) {
    faults = new Draw(wanted);
  }

  /**
   * How often this has happened to calls since the start. A commit is counted when it comes in,
   * whether it succeeds or not.
   */
  public long count(Occurrence what) {
    return counts.get(what);
  }

  @Override
  public void close() {
    servers.forEach(Server::shutdownNow);
    firestore.shutdownNow();
    timer.shutdownNow();
    try {
      for (var server : servers) {
        server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
      firestore.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HandlerRegistry forwarding(Meter meter) {
    return new HandlerRegistry() {
      @Override
      public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
        var method =
            MethodDescriptor.newBuilder(BYTES, BYTES)
                .setFullMethodName(name)
                .setType(MethodType.UNKNOWN)
                .build();
        return ServerMethodDefinition.create(
            method, (caller, headers) -> forward(caller, headers, meter));
      }
    };
  }

  private ServerCall.Listener<byte[]> forward(
      ServerCall<byte[], byte[]> caller, Metadata headers, Meter meter) {
    var method = caller.getMethodDescriptor();
    if (method.getFullMethodName().equals(Meter.COMMIT)) {
      counts.incrementAndGet(Occurrence.COMMIT);
    }
    var fate = faults.next(method.getFullMethodName());
    if (fate.is(Occurrence.CALL_REFUSED)) {
      counts.incrementAndGet(Occurrence.CALL_REFUSED);
      caller.close(fate.error(), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    return new Call(caller, fate, meter).start(headers);
  }

  /**
   * One call: forwards its requests and answers, half-close and cancellation, and carries out its
   * fate. It asks for a message when it has forwarded the one before. Messages wait in memory if
   * their receiver is slow.
   */
  private final class Call {
    private final ServerCall<byte[], byte[]> caller;
    private final ClientCall<byte[], byte[]> emulator;
    private final String method;
    private final Fate fate;
    private final Meter meter;
    private boolean cancelled;
    private volatile boolean broken;
    private volatile byte[] lastRequest = new byte[0];

    Call(ServerCall<byte[], byte[]> caller, Fate fate, Meter meter) {
      this.caller = caller;
      this.emulator = firestore.newCall(caller.getMethodDescriptor(), CallOptions.DEFAULT);
      this.method = caller.getMethodDescriptor().getFullMethodName();
      this.fate = fate;
      this.meter = meter;
    }

    /** Delays the first request if that is the call's fate. A cancellation does not wait for it. */
    ServerCall.Listener<byte[]> start(Metadata headers) {
      emulator.start(new Answers(), headers);
      emulator.request(1);
      long nanos = fate.after().toNanos();
      if (fate.is(Occurrence.CALL_LATE)) {
        counts.incrementAndGet(Occurrence.CALL_LATE);
        var unused = timer.schedule(() -> caller.request(1), nanos, TimeUnit.NANOSECONDS);
      } else {
        caller.request(1);
      }
      if (fate.is(Occurrence.STREAM_BROKEN) && nanos > 0) {
        var unused = timer.schedule(this::breakOff, nanos, TimeUnit.NANOSECONDS);
      }
      return new Requests();
    }

    private void breakOff() {
      broken = true;
      cancel("injected");
    }

    private synchronized void cancel(String reason) {
      cancelled = true;
      emulator.cancel(reason, null);
    }

    /** gRPC allows no message in a call that was cancelled. */
    private synchronized void unlessCancelled(Runnable send) {
      if (!cancelled) {
        send.run();
      }
    }

    private final class Requests extends ServerCall.Listener<byte[]> {
      @Override
      public void onMessage(byte[] request) {
        lastRequest = request;
        unlessCancelled(() -> emulator.sendMessage(request));
        caller.request(1);
      }

      @Override
      public void onHalfClose() {
        unlessCancelled(emulator::halfClose);
      }

      @Override
      public void onCancel() {
        cancel("the caller cancelled");
      }
    }

    private final class Answers extends ClientCall.Listener<byte[]> {
      private final boolean isLost = fate.is(Occurrence.REPLY_LOST);
      private final boolean breaksAtFirst =
          fate.is(Occurrence.STREAM_BROKEN) && fate.after().isZero();
      private boolean counted;

      @Override
      public void onHeaders(Metadata headers) {
        if (!isLost) {
          caller.sendHeaders(headers);
        }
      }

      @Override
      public void onMessage(byte[] answer) {
        counted = meter.answered(method, answer, counted);
        if (!isLost) {
          caller.sendMessage(answer);
        }
        if (breaksAtFirst) {
          breakOff();
        } else {
          emulator.request(1);
        }
      }

      @Override
      public void onClose(Status status, Metadata trailers) {
        if (status.isOk()) {
          meter.succeeded(method, lastRequest, counted);
        } else if (method.equals(Meter.COMMIT) && REFUSALS.contains(status.getCode())) {
          counts.incrementAndGet(Occurrence.COMMIT_REFUSED);
        }
        boolean injected = broken || (isLost && status.isOk());
        if (injected) {
          fate.fault().ifPresent(counts::incrementAndGet);
        }
        caller.close(injected ? fate.error() : status, injected ? new Metadata() : trailers);
      }
    }
  }

  /** Passes the bytes of messages on unchanged. */
  private static final class RawBytes implements Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream message) {
      try {
        return message.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException("a message broke off", e);
      }
    }
  }
}
