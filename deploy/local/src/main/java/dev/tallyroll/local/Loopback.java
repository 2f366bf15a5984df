package dev.tallyroll.local;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Ports of 127.0.0.1, and HTTP servers and clients there, for all parts. Thread-safe. */
final class Loopback {
  static final String HOST = "127.0.0.1";

  /**
   * The ports are below the range of outgoing connections, so that no connection takes a port
   * between its choice and its use.
   */
  private static final int LOWEST_PORT = 12_000;

  private static final int HIGHEST_PORT = 32_000;
  private static final int PORTS = HIGHEST_PORT - LOWEST_PORT;
  private static final int ATTEMPTS = 200;

  /**
   * Two clouds that start at once would both find a port free, and one could use the other's
   * server. So each process hands out a port once, and starts at an offset of its own, a multiple
   * of this: the range divided by the golden ratio, whose multiples lie farthest from each other.
   */
  private static final long DISTANCE = Math.round(PORTS * 0.618034);

  private static final AtomicLong NEXT = new AtomicLong(offset(ProcessHandle.current().pid()));

  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final int SYSTEM_BACKLOG = 0;

  static {
    // The JDK reads the property when it loads its classes. Without it, each small answer waits 40
    // ms for an acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    // Shorter than the invoker's idle time, so that no request goes into a connection that is being
    // closed.
    if (System.getProperty("jdk.httpclient.keepalive.timeout") == null) {
      System.setProperty("jdk.httpclient.keepalive.timeout", "20");
    }
  }

  private Loopback() {}

  /** Where a process begins to look for ports. */
  static int offset(long pid) {
    return (int) (pid * DISTANCE % PORTS);
  }

  /** Finds this many free ports, all different. */
  static List<Integer> freePorts(int count) {
    var found = new ArrayList<Integer>();
    for (int attempt = 0; attempt < ATTEMPTS && found.size() < count; attempt++) {
      int candidate = LOWEST_PORT + (int) (NEXT.getAndIncrement() % PORTS);
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

  /** Starts a server that gives every request to the handler. */
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
}
