package dev.tallyroll.local;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Records what {@link StubFunction}s are given, and makes the next ones fail on request.
 * Thread-safe.
 */
final class Recorder implements AutoCloseable {
  static final int OK = 200;
  static final int FAIL = 500;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 20;

  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final AtomicInteger toFail = new AtomicInteger();
  private final HttpServer server = Loopback.serve(this::receive);

  record Received(String function, Event event) {
    boolean isAbout(String document) {
      return event.attribute("document").equals(document);
    }
  }

  String address() {
    return Loopback.uri(server.getAddress().getPort(), "/").toString();
  }

  void failNext(int count) {
    toFail.set(count);
  }

  /** All that match, as soon as there are so many; fails after a limit. */
  List<Received> await(int count, Predicate<Received> wanted) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    var matching = matching(wanted);
    while (matching.size() < count) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "expected %d of the events within %s, found %d: %s"
                .formatted(count, LIMIT, matching.size(), received));
      }
      Thread.sleep(POLL_MILLIS);
      matching = matching(wanted);
    }
    return matching;
  }

  List<Received> matching(Predicate<Received> wanted) {
    return received.stream().filter(wanted).toList();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      var headers = new TreeMap<String, String>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
      var body = ByteString.copyFrom(exchange.getRequestBody().readAllBytes());
      received.add(
          new Received(exchange.getRequestURI().getPath().substring(1), new Event(headers, body)));
      boolean fail = toFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
      exchange.sendResponseHeaders(fail ? FAIL : OK, -1);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
