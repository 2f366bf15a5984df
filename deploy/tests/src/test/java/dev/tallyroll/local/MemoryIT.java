package dev.tallyroll.local;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.events.cloud.firestore.v1.Value;
import com.google.protobuf.Timestamp;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An instance of the deployed size, 512 MiB, with the deployed JVM options, handles the largest
 * load: 80 events at once, each with a shard of a megabyte before and after its write.
 */
@On(Site.SHARED)
final class MemoryIT {
  private static final int EVENTS = 80;
  private static final int DOCUMENT_BYTES = 1_000_000;
  private static final int CONTAINER_MEGABYTES = 512;
  private static final int SEND_BUFFER_BYTES = 32_768;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @ParameterizedTest
  @Execution(ExecutionMode.SAME_THREAD)
  @ValueSource(strings = {LocalCloudOptions.PRODUCTION_INVOKER, LocalCloudOptions.NEXT_INVOKER})
  void eventsOfTwoMegabytes_areHandledAllAtOnce(String invoker, LocalCloud cloud) throws Exception {
    var function =
        Checkout.fromSystemProperty()
            .function("memory", "dev.tallyroll.functions.OnShardWritten", invoker);
    var environment = ChildProcess.inherited(System.getenv());
    environment.putAll(cloud.addresses());
    environment.put("GOOGLE_CLOUD_PROJECT", "demo-memory");
    int port = Loopback.freePorts(1).get(0);
    var threads = Executors.newCachedThreadPool();
    try (var server = new FunctionServer(function, environment, port)) {
      server.awaitReady();

      assertThat(send(port, threads)).hasSize(EVENTS).containsOnly("HTTP/1.1 200 OK");

      assertThat(mostMegabytes(server.pid())).isBetween(1L, (long) CONTAINER_MEGABYTES);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Sends all events at once. Each event's last byte waits until all others have come so far. */
  private static List<String> send(int port, ExecutorService threads) throws Exception {
    var together = new CyclicBarrier(EVENTS);
    List<Callable<String>> events =
        IntStream.range(0, EVENTS)
            .<Callable<String>>mapToObj(index -> () -> send(port, body(index), together))
            .toList();
    List<String> answers = new ArrayList<>();
    for (Future<String> answer : threads.invokeAll(events)) {
      answers.add(answer.get());
    }
    return answers;
  }

  private static String send(int port, byte[] body, CyclicBarrier together) throws Exception {
    try (var socket = new Socket()) {
      socket.setSoTimeout((int) LIMIT.toMillis());
      // At most so much of the sent data is still unread.
      socket.setSendBufferSize(SEND_BUFFER_BYTES);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      var out = socket.getOutputStream();
      out.write(head(body.length).getBytes(US_ASCII));
      out.write(body, 0, body.length - 1);
      together.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
      out.write(body, body.length - 1, 1);
      var answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      return String.valueOf(answer.readLine());
    }
  }

  private static String head(int length) {
    return String.join(
        "\r\n",
        "POST / HTTP/1.1",
        "host: localhost",
        "ce-specversion: 1.0",
        "ce-id: 1",
        "ce-type: google.cloud.firestore.document.v1.updated",
        "ce-source: //tallyroll.test/memory",
        "content-type: application/protobuf",
        "content-length: " + length,
        "connection: close",
        "\r\n");
  }

  /** Each event is about another counter, because events about one counter share their work. */
  private static byte[] body(int index) {
    var shard =
        Document.newBuilder()
            .setName("projects/p/databases/(default)/documents/counters/c" + index + "/shards/0")
            .setUpdateTime(Timestamp.newBuilder().setSeconds(Instant.now().getEpochSecond()))
            .putFields(
                "note", Value.newBuilder().setStringValue("x".repeat(DOCUMENT_BYTES)).build())
            .build();
    return DocumentEventData.newBuilder().setOldValue(shard).setValue(shard).build().toByteArray();
  }

  /** The largest memory of the process so far; 1 if the system does not tell it. */
  private static long mostMegabytes(long pid) throws IOException {
    var status = Path.of("/proc", String.valueOf(pid), "status");
    if (!Files.exists(status)) {
      return 1;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }
}
