package dev.tallyroll.local;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Where the Pub/Sub emulator pushes its messages: acknowledges each at once and hands it to a
 * function as a CloudEvent, once. A message that the function fails on is logged and gone; the next
 * schedule makes up for it. Thread-safe.
 */
final class PushConverter implements AutoCloseable {
  private static final int NO_CONTENT = 204;
  private static final int NO_BODY = -1;

  private final HttpServer server;
  private final Topic topic;
  private final URI function;
  private final HttpClient http;
  private final Consumer<String> log;
  private final AtomicInteger underway = new AtomicInteger();
  private final AtomicLong failed = new AtomicLong();
  private volatile boolean closed;

  private PushConverter(Topic topic, URI function, HttpClient http, Consumer<String> log) {
    this.topic = topic;
    this.function = function;
    this.http = http;
    this.log = log;
    this.server = Loopback.serve(this::receive);
  }

  static PushConverter start(Topic topic, URI function, HttpClient http, Consumer<String> log) {
    return new PushConverter(topic, function, http, log);
  }

  URI address() {
    return Loopback.uri(server.getAddress().getPort(), "/push");
  }

  /** How many messages the function is working on. */
  int underway() {
    return underway.get();
  }

  /** How many messages the function did not take. */
  long failed() {
    return failed.get();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = exchange.getRequestBody().readAllBytes();
      deliver(body);
      exchange.sendResponseHeaders(NO_CONTENT, NO_BODY);
    }
  }

  private void deliver(byte[] body) {
    Event event;
    try {
      event = PushedMessage.toEvent(body, topic);
    } catch (IllegalArgumentException e) {
      lost(e.toString());
      return;
    }
    underway.incrementAndGet();
    var unused =
        http.sendAsync(Delivery.request(event, function), BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  underway.decrementAndGet();
                  if (failure != null) {
                    lost(failure.toString());
                  } else if (answer.statusCode() / 100 != 2) {
                    lost("status " + answer.statusCode());
                  }
                });
  }

  private void lost(String reason) {
    failed.incrementAndGet();
    if (!closed) {
      log.accept("a message of %s was not handled: %s".formatted(topic.name(), reason));
    }
  }

  @Override
  public void close() {
    closed = true;
    server.stop(0);
  }
}
