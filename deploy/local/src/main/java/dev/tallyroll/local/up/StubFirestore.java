package dev.tallyroll.local.up;

import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.ListenRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
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
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * As much of Firestore as a roller needs: it answers each call some time later, and no sum is like
 * the one before. It knows documents, but compares no versions, and listens are never answered.
 * Thread-safe.
 */
final class StubFirestore implements AutoCloseable {
  private static final String SERVICE = "google.firestore.v1.Firestore";
  private static final String THREADS = "stub-firestore";

  /** How many every counter has. */
  static final long SHARDS = 10;

  private final Duration answerAfter;
  private final Map<String, Document> documents = new TreeMap<>();
  private final Map<String, Long> lastWrites = new HashMap<>();
  private final List<Long> gaps = new ArrayList<>();
  private final AtomicLong sums = new AtomicLong();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(StubFirestore::thread);
  private final EventLoopGroup wire =
      new MultiThreadIoEventLoopGroup(1, StubFirestore::thread, NioIoHandler.newFactory());
  private final Server server;

  private StubFirestore(Duration answerAfter) throws IOException {
    this.answerAfter = answerAfter;
    var service = ServerServiceDefinition.builder(SERVICE);
    answer(
        service,
        "Commit",
        CommitRequest.getDefaultInstance(),
        CommitResponse.getDefaultInstance(),
        this::commit);
    answer(
        service,
        "BatchGetDocuments",
        BatchGetDocumentsRequest.getDefaultInstance(),
        BatchGetDocumentsResponse.getDefaultInstance(),
        this::get);
    answer(
        service,
        "RunQuery",
        RunQueryRequest.getDefaultInstance(),
        RunQueryResponse.getDefaultInstance(),
        this::query);
    answer(
        service,
        "RunAggregationQuery",
        RunAggregationQueryRequest.getDefaultInstance(),
        RunAggregationQueryResponse.getDefaultInstance(),
        this::sum);
    service.addMethod(
        method(
            "Listen",
            MethodType.BIDI_STREAMING,
            ListenRequest.getDefaultInstance(),
            ListenResponse.getDefaultInstance()),
        ServerCalls.asyncBidiStreamingCall(StubFirestore::ignore));
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossEventLoopGroup(wire)
            .workerEventLoopGroup(wire)
            .channelType(NioServerSocketChannel.class)
            .directExecutor()
            .addService(service.build())
            .build()
            .start();
  }

  /** Starts one on a free port of 127.0.0.1. */
  static StubFirestore start(Duration answerAfter) throws IOException {
    return new StubFirestore(answerAfter);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, THREADS);
    thread.setDaemon(true);
    return thread;
  }

  /** Host and port, for clients. */
  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** Puts a document there, by its full name. */
  synchronized void put(String name, Map<String, Value> fields) {
    documents.put(
        name,
        Document.newBuilder()
            .setName(name)
            .putAllFields(fields)
            .setCreateTime(now())
            .setUpdateTime(now())
            .build());
  }

  /** Forgets the gaps so far. */
  synchronized void measureAfresh() {
    gaps.clear();
  }

  /** The time from each write of a document to the next of the same, in nanoseconds. */
  synchronized List<Long> gaps() {
    return List.copyOf(gaps);
  }

  /** What this process has used, in nanoseconds, without the threads of stubs. */
  static long cpuOfClient() {
    var threads = ManagementFactory.getThreadMXBean();
    long own = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().equals(THREADS)) {
        own += threads.getThreadCpuTime(thread.getThreadId());
      }
    }
    var process = ManagementFactory.getOperatingSystemMXBean();
    return ((com.sun.management.OperatingSystemMXBean) process).getProcessCpuTime() - own;
  }

  private <Q extends Message, A extends Message> void answer(
      ServerServiceDefinition.Builder service,
      String name,
      Q request,
      A response,
      BiConsumer<Q, Consumer<A>> work) {
    service.addMethod(
        method(name, MethodType.SERVER_STREAMING, request, response),
        ServerCalls.asyncServerStreamingCall(
            (Q asked, StreamObserver<A> answers) -> {
              var unused =
                  timer.schedule(
                      () -> {
                        work.accept(asked, answers::onNext);
                        answers.onCompleted();
                      },
                      answerAfter.toNanos(),
                      TimeUnit.NANOSECONDS);
            }));
  }

  private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
      String name, MethodType type, Q request, A response) {
    return MethodDescriptor.<Q, A>newBuilder()
        .setFullMethodName(SERVICE + "/" + name)
        .setType(type)
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(response))
        .build();
  }

  private synchronized void commit(CommitRequest request, Consumer<CommitResponse> answer) {
    Timestamp now = now();
    long nanos = System.nanoTime();
    var response = CommitResponse.newBuilder().setCommitTime(now);
    for (Write write : request.getWritesList()) {
      String name = write.getUpdate().getName();
      Document before = documents.getOrDefault(name, Document.getDefaultInstance());
      documents.put(
          name,
          before.toBuilder()
              .setName(name)
              .putAllFields(write.getUpdate().getFieldsMap())
              .setUpdateTime(now)
              .build());
      Long last = lastWrites.put(name, nanos);
      if (last != null && name.contains("/rollups/")) {
        gaps.add(nanos - last);
      }
      response.addWriteResults(WriteResult.newBuilder().setUpdateTime(now));
    }
    answer.accept(response.build());
  }

  private synchronized void get(
      BatchGetDocumentsRequest request, Consumer<BatchGetDocumentsResponse> answer) {
    for (String name : request.getDocumentsList()) {
      var response = BatchGetDocumentsResponse.newBuilder().setReadTime(now());
      Document found = documents.get(name);
      answer.accept((found == null ? response.setMissing(name) : response.setFound(found)).build());
    }
  }

  /** Whatever the query, the roll-ups: no other is made here. */
  private synchronized void query(RunQueryRequest request, Consumer<RunQueryResponse> answer) {
    Timestamp now = now();
    for (Document document : documents.values()) {
      if (document.getName().contains("/rollups/")) {
        answer.accept(RunQueryResponse.newBuilder().setDocument(document).setReadTime(now).build());
      }
    }
  }

  private void sum(
      RunAggregationQueryRequest request, Consumer<RunAggregationQueryResponse> answer) {
    var result = AggregationResult.newBuilder();
    for (var field : request.getStructuredAggregationQuery().getAggregationsList()) {
      long value = field.hasSum() ? sums.incrementAndGet() : SHARDS;
      result.putAggregateFields(
          field.getAlias(), Value.newBuilder().setIntegerValue(value).build());
    }
    answer.accept(
        RunAggregationQueryResponse.newBuilder().setResult(result).setReadTime(now()).build());
  }

  private static StreamObserver<ListenRequest> ignore(StreamObserver<ListenResponse> answers) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ListenRequest request) {}

      @Override
      public void onError(Throwable ended) {}

      @Override
      public void onCompleted() {
        answers.onCompleted();
      }
    };
  }

  static Timestamp now() {
    Instant now = Instant.now();
    return Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
  }

  @Override
  public void close() {
    server.shutdownNow();
    timer.shutdownNow();
    var unused = wire.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }
}
