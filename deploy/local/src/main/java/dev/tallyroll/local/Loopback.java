package dev.tallyroll.local;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;

/** The wires between the parts: HTTP servers and clients on 127.0.0.1. Stateless. */
final class Loopback {
  static final String HOST = "127.0.0.1";
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
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

  static HttpClient client() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT_WITHIN)
        .build();
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

  static URI uri(int port, String path) {
    return URI.create("http://" + HOST + ":" + port + path);
  }
}
