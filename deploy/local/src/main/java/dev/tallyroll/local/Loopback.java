package dev.tallyroll.local;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** What the parts talk over: ports of 127.0.0.1, and HTTP servers and clients there. Stateless. */
final class Loopback {
  static final String HOST = "127.0.0.1";

  /**
   * Below the range that operating systems take outgoing connections' ports from, so that a port is
   * not lost between its choice and its use.
   */
  private static final int LOWEST_PORT = 12_000;

  private static final int HIGHEST_PORT = 32_000;
  private static final int ATTEMPTS = 200;

  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final int MOST_REPEATS = 5;
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
  private static final int SYSTEM_BACKLOG = 0;

  static {
    // Read once, when the JDK's classes are loaded. Without it each small answer waits 40 ms for an
    // acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    // Shorter than the invoker's idle time, so that no request is sent into a connection that is
    // being closed.
    if (System.getProperty("jdk.httpclient.keepalive.timeout") == null) {
      System.setProperty("jdk.httpclient.keepalive.timeout", "20");
    }
  }

  private Loopback() {}

  /** As many different free ports. */
  static List<Integer> freePorts(int count) {
    var random = RandomGenerator.getDefault();
    var found = new LinkedHashSet<Integer>();
    for (int attempt = 0; attempt < ATTEMPTS && found.size() < count; attempt++) {
      int candidate = random.nextInt(LOWEST_PORT, HIGHEST_PORT);
      if (isFree(candidate)) {
        found.add(candidate);
      }
    }
    if (found.size() < count) {
      throw new LocalCloudException(
          "expected %d free ports of 127.0.0.1 between %d and %d, found %d"
              .formatted(count, LOWEST_PORT, HIGHEST_PORT, found.size()));
    }
    return List.copyOf(found);
  }

  static boolean isFree(int port) {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static URI uri(int port, String path) {
    return URI.create("http://" + HOST + ":" + port + path);
  }

  /** A running server that gives every request to the handler. */
  static HttpServer serve(HttpHandler handler) {
    try {
      var server =
          HttpServer.create(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), SYSTEM_BACKLOG);
      server.createContext("/", handler);
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("could not listen on a free port of " + HOST, e);
    }
  }

  static HttpClient client() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT_WITHIN)
        .build();
  }

  /**
   * Calls an emulator's REST interface; any answer but a good one is an error that quotes it. One
   * that has just started on a busy machine answers 500 at first, with no text: it is asked again.
   */
  static JsonObject call(HttpClient http, String method, URI address, Map<String, ?> body) {
    var request =
        HttpRequest.newBuilder(address)
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(new Gson().toJson(body)))
            .build();
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      for (int again = 0; answer.statusCode() / 100 == 5 && again < MOST_REPEATS; again++) {
        TimeUnit.SECONDS.sleep(1);
        answer = http.send(request, BodyHandlers.ofString());
      }
      if (answer.statusCode() / 100 != 2) {
        throw new LocalCloudException(
            "%s %s: expected a status of 2xx, found %d: %s"
                .formatted(method, address, answer.statusCode(), answer.body()));
      }
      return JsonParser.parseString(answer.body()).getAsJsonObject();
    } catch (IOException e) {
      throw new LocalCloudException("%s %s was not answered".formatted(method, address), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted during %s %s".formatted(method, address), e);
    }
  }
}
