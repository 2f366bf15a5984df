package dev.tallyroll.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A way to a server on this machine that can be cut, held up and slowed down. Each connection has
 * two threads, one a direction. Thread-safe.
 */
final class BadConnection implements AutoCloseable {
  private static final int BUFFER = 16_384;
  private static final int POLL_MILLIS = 20;

  private final ServerSocket door;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean held;
  private volatile long delayMillis;

  private BadConnection(ServerSocket door, int port) {
    this.door = door;
    this.port = port;
  }

  /**
   * A connection.
   *
   * @param host where it leads, with the port
   */
  static BadConnection to(String host) throws IOException {
    int port = Integer.parseInt(host.substring(host.lastIndexOf(':') + 1));
    var connection =
        new BadConnection(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), port);
    start("bad connection", connection::accept);
    return connection;
  }

  String address() {
    return "127.0.0.1:" + door.getLocalPort();
  }

  /** Ends every connection there is; new ones may be made. */
  void cut() {
    open.forEach(BadConnection::end);
    open.clear();
  }

  /** Lets nothing through, as when the other side has gone without a word, or does again. */
  void hold(boolean now) {
    held = now;
  }

  /** From now on, answers take so much longer. */
  void slow(long millis) {
    delayMillis = millis;
  }

  private void accept() {
    try {
      while (true) {
        var client = door.accept();
        var server = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(client);
        open.add(server);
        start("bad connection, there", () -> pump(client, server, /* answers= */ false));
        start("bad connection, back", () -> pump(server, client, /* answers= */ true));
      }
    } catch (IOException closed) {
      cut();
    }
  }

  private void pump(Socket from, Socket to, boolean answers) {
    try {
      copy(from.getInputStream(), to.getOutputStream(), answers);
    } catch (IOException ended) {
      // One end has gone; so must the other.
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    end(from);
    end(to);
  }

  private void copy(InputStream from, OutputStream to, boolean answers)
      throws IOException, InterruptedException {
    var buffer = new byte[BUFFER];
    for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
      TimeUnit.MILLISECONDS.sleep(answers ? delayMillis : 0);
      while (held) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      // What has come meanwhile is as late already.
      if (from.available() > 0 && read < buffer.length) {
        read += from.read(buffer, read, buffer.length - read);
      }
      to.write(buffer, 0, read);
      to.flush();
    }
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException alreadyEnded) {
      // Nothing is lost with it.
    }
  }

  private static void start(String name, Runnable work) {
    var thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    held = false;
    door.close();
    cut();
  }
}
