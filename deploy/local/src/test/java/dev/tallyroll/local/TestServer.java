package dev.tallyroll.local;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.net.URI;

/** An HTTP server that answers every request alike, until it is closed. Thread-safe. */
final class TestServer implements AutoCloseable {
  private static final int OK = 200;
  private final HttpServer server;

  private TestServer(HttpHandler handler) {
    server = Loopback.serve(handler);
  }

  /** Promises the content, but closes the connection after so many bytes of it. */
  static TestServer sending(byte[] content, int bytes) {
    return new TestServer(
        exchange -> {
          exchange.sendResponseHeaders(OK, content.length);
          exchange.getResponseBody().write(content, 0, bytes);
          exchange.getResponseBody().flush();
          exchange.close();
        });
  }

  static TestServer sending(byte[] content) {
    return sending(content, content.length);
  }

  static TestServer answering(int status) {
    return new TestServer(
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
  }

  URI uri(String path) {
    return Loopback.uri(server.getAddress().getPort(), path);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
