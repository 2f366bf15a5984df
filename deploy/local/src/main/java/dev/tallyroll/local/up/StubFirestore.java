package dev.tallyroll.local.up;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A stub with the part of Firestore that a roller needs. It answers each call after some time. The
 * live list names the given roll-ups, which never change. Each sum differs from the one before, and
 * every commit succeeds. It takes 100 calls at once on a connection, as Google's front ends do.
 * Thread-safe.
 */
final class StubFirestore implements AutoCloseable {
  private static final String SERVICE = "google.firestore.v1.Firestore";
  private static final String THREAD = "stub-firestore";

  private static final int CALLS_AT_ONCE = 100;

  /** The number of shards of every counter. */
  static final long SHARDS = 10;

  private final Duration answerAfter;
  private final Map<String, Document> documents = new HashMap<>();
  private final List<RunQueryResponse> entries;
  private final Map<String, Long> lastWrites = new HashMap<>();
  private final List<Long> gaps = new ArrayList<>();
  private final EventLoopGroup wire =
      new MultiThreadIoEventLoopGroup(
          1,
          new ThreadFactoryBuilder().setNameFormat(THREAD).setDaemon(true).build(),
          NioIoHandler.newFactory());
  private final Server server;
  private long sums;
  private boolean refusing;
  private int refused;

  /** Starts a stub on a free port of 127.0.0.1. */
  StubFirestore(Duration answerAfter, List<Document> rollups) throws IOException {
    this.answerAfter = answerAfter;
    rollups.forEach(rollup -> documents.put(rollup.getName(), rollup));
    entries = rollups.stream().map(StubFirestore::entry).toList();
    var service = ServerServiceDefinition.builder(SERVICE);
    answer(service, "Commit", CommitRequest.getDefaultInstance(), this::commit);
    answer(service, "BatchGetDocuments", BatchGetDocumentsRequest.getDefaultInstance(), this::read);
    answer(service, "RunQuery", RunQueryRequest.getDefaultInstance(), this::list);
    answer(
        service, "RunAggregationQuery", RunAggregationQueryRequest.getDefaultInstance(), this::sum);
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossEventLoopGroup(wire)
            .workerEventLoopGroup(wire)
            .channelType(NioServerSocketChannel.class)
            .directExecutor()
            .maxConcurrentCallsPerConnection(CALLS_AT_ONCE)
            .addService(service.build())
            .build()
            .start();
  }

  /** Host and port, for clients. */
  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** Sets whether all later calls are refused. */
  synchronized void refuse(boolean all) {
    refusing = all;
  }

  /** How many calls were refused. */
  synchronized int refused() {
    return refused;
  }

  private synchronized boolean isRefused() {
    refused += refusing ? 1 : 0;
    return refusing;
  }

  /** Forgets the measured gaps. */
  synchronized void measureAfresh() {
    gaps.clear();
  }

  /** The times between consecutive writes of the same roll-up, in nanoseconds. */
  synchronized List<Long> gaps() {
    return List.copyOf(gaps);
  }

  /** The CPU time of this process without the threads of stubs, in nanoseconds. */
  static long cpuOfClient() {
    var threads = ManagementFactory.getThreadMXBean();
    long own = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().equals(THREAD)) {
        own += threads.getThreadCpuTime(thread.getThreadId());
      }
    }
    var process = ManagementFactory.getOperatingSystemMXBean();
    return ((com.sun.management.OperatingSystemMXBean) process).getProcessCpuTime() - own;
  }

  private <Q extends Message> void answer(
      ServerServiceDefinition.Builder service,
      String name,
      Q request,
      Function<Q, List<? extends Message>> answers) {
    var method =
        MethodDescriptor.<Q, Message>newBuilder()
            .setFullMethodName(SERVICE + "/" + name)
            .setType(MethodType.SERVER_STREAMING)
            .setRequestMarshaller(ProtoUtils.marshaller(request))
            // This marshaller writes any message, whatever its type.
            .setResponseMarshaller(ProtoUtils.marshaller(Value.getDefaultInstance()))
            .build();
    service.addMethod(
        method,
        ServerCalls.asyncServerStreamingCall(
            (Q asked, StreamObserver<Message> caller) -> {
              if (isRefused()) {
                caller.onError(Status.UNAVAILABLE.asRuntimeException());
                return;
              }
              var unused =
                  wire.schedule(
                      () -> {
                        answers.apply(asked).forEach(caller::onNext);
                        caller.onCompleted();
                      },
                      answerAfter.toNanos(),
                      TimeUnit.NANOSECONDS);
            }));
  }

  private synchronized List<CommitResponse> commit(CommitRequest request) {
    Timestamp now = now();
    long nanos = System.nanoTime();
    var response = CommitResponse.newBuilder().setCommitTime(now);
    for (var write : request.getWritesList()) {
      String name = write.getUpdate().getName();
      Long last = lastWrites.put(name, nanos);
      if (last != null && name.contains("/rollups/")) {
        gaps.add(nanos - last);
      }
      if (name.contains("/rollup_runs/")) {
        documents.put(
            name, write.getUpdate().toBuilder().setCreateTime(now).setUpdateTime(now).build());
      }
      response.addWriteResults(WriteResult.newBuilder().setUpdateTime(now));
    }
    return List.of(response.build());
  }

  private synchronized List<BatchGetDocumentsResponse> read(BatchGetDocumentsRequest request) {
    return request.getDocumentsList().stream().map(this::read).toList();
  }

  private BatchGetDocumentsResponse read(String name) {
    var response = BatchGetDocumentsResponse.newBuilder().setReadTime(now());
    Document document = documents.get(name);
    return document == null
        ? response.setMissing(name).build()
        : response.setFound(document).build();
  }

  /** The live list. A query for new entries finds none. */
  private List<RunQueryResponse> list(RunQueryRequest request) {
    return request.getStructuredQuery().hasWhere()
        ? List.of(RunQueryResponse.newBuilder().setReadTime(now()).build())
        : entries;
  }

  private static RunQueryResponse entry(Document rollup) {
    String mark = rollup.getFieldsOrThrow(RollupFields.COUNTER).getStringValue();
    var counter = Layout.DEFAULT.counterOfDocument(mark).orElseThrow();
    String database = rollup.getName().substring(0, rollup.getName().indexOf("/rollups/") + 1);
    return RunQueryResponse.newBuilder()
        .setReadTime(now())
        .setDocument(
            Document.newBuilder()
                .setName(database + Layout.DEFAULT.liveEntry(counter))
                .putFields("counter", Value.newBuilder().setStringValue(mark).build())
                .setCreateTime(now())
                .setUpdateTime(now()))
        .build();
  }

  private List<RunAggregationQueryResponse> sum(RunAggregationQueryRequest request) {
    var result = AggregationResult.newBuilder();
    for (var field : request.getStructuredAggregationQuery().getAggregationsList()) {
      long value = field.hasSum() ? ++sums : SHARDS;
      result.putAggregateFields(
          field.getAlias(), Value.newBuilder().setIntegerValue(value).build());
    }
    return List.of(
        RunAggregationQueryResponse.newBuilder().setResult(result).setReadTime(now()).build());
  }

  static Timestamp now() {
    Instant now = Instant.now();
    return Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
  }

  @Override
  public void close() {
    server.shutdownNow();
    var unused = wire.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }
}
