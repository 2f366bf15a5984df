package dev.tallyroll.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.events.cloud.firestore.v1.Value;
import com.google.protobuf.Timestamp;
import dev.tallyroll.local.FirestoreEmulator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The deployed sizing holds what an instance may be given at once: 80 events, each with a shard of
 * a megabyte as it was and as it is, in 512 MiB, with the JVM's options that are deployed.
 */
final class MemoryIT {
  private static final int EVENTS = 80;
  private static final int DOCUMENT_BYTES = 1_000_000;
  private static final int CONTAINER_MEGABYTES = 512;
  private static final int SEND_BUFFER_BYTES = 32_768;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern LISTENING = Pattern.compile("Started .*ServerConnector@");
  private static final Path HOME =
      Path.of(Objects.requireNonNull(System.getProperty("tallyroll.home")));

  static Stream<Path> invokers() throws IOException {
    try (var jars = Files.list(HOME.resolve("deploy/local/target/invokers"))) {
      return jars.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("invokers")
  void eventsOfTwoMegabytes_areHandledAllAtOnce(Path invoker) throws Exception {
    int port = freePort();
    var threads = Executors.newCachedThreadPool();
    try (var firestore = FirestoreEmulator.start(System.getenv(), line -> {})) {
      var function = function(invoker, port, firestore.address());
      try {
        awaitListening(function, threads);

        assertThat(send(port, threads)).hasSize(EVENTS).containsOnly("HTTP/1.1 200 OK");
        assertThat(mostMegabytes(function)).isBetween(1L, (long) CONTAINER_MEGABYTES);
      } finally {
        function.destroyForcibly().waitFor();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static Process function(Path invoker, int port, String firestore) throws IOException {
    var options = Files.readString(HOME.resolve("deploy/gcloud/jvm-options")).strip();
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxRAM=" + CONTAINER_MEGABYTES + "m"));
    command.addAll(Arrays.asList(options.split(" ")));
    command.addAll(
        List.of(
            "-cp",
            invoker.toString(),
            "com.google.cloud.functions.invoker.runner.Invoker",
            "--classpath",
            HOME.resolve("functions/target/function/tallyroll.jar").toString(),
            "--target",
            "dev.tallyroll.functions.OnShardWritten",
            "--port",
            String.valueOf(port)));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("FIRESTORE_EMULATOR_HOST", firestore);
    builder.environment().put("GOOGLE_CLOUD_PROJECT", "demo-memory");
    return builder.start();
  }

  private static void awaitListening(Process function, ExecutorService threads) throws Exception {
    var output = new BufferedReader(new InputStreamReader(function.getInputStream(), UTF_8));
    List<String> lines = new ArrayList<>();
    for (var line = output.readLine(); line != null; line = output.readLine()) {
      lines.add(line);
      if (LISTENING.matcher(line).find()) {
        // What is not read would block it.
        var unused = threads.submit(() -> output.lines().forEach(later -> {}));
        return;
      }
    }
    throw new AssertionError("the function did not start:\n" + String.join("\n", lines));
  }

  /** Sends them side by side; each waits with its last byte until all others are as far. */
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
      // What has been sent has been read, but for this.
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

  /** Each about another counter, as events about one share their work. */
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

  /** What the process has had in memory at most; 1 where the system does not tell. */
  private static long mostMegabytes(Process process) throws IOException {
    var status = Path.of("/proc", String.valueOf(process.pid()), "status");
    if (!Files.exists(status)) {
      return 1;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
