package dev.tallyroll.local;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Where the Firestore emulator sends its events. The emulator delivers one event at a time, waits
 * for the answer, and never repeats one: so the consumer must return at once, whatever becomes of
 * the event. Thread-safe.
 */
final class TriggerHook implements AutoCloseable {
  private static final int OK = 200;
  private static final int NO_BODY = -1;

  private final HttpServer server;
  private final Consumer<Event> events;

  private TriggerHook(Consumer<Event> events) {
    this.events = events;
    this.server = Loopback.serve(this::receive);
  }

  static TriggerHook start(Consumer<Event> events) {
    return new TriggerHook(events);
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = exchange.getRequestBody().readAllBytes();
      // Before the answer, so that an event that has left the emulator is always counted as
      // pending.
      events.accept(EmulatorEvent.decode(exchange.getRequestHeaders(), body));
      exchange.sendResponseHeaders(OK, NO_BODY);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
