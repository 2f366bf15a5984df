package dev.tallyroll.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.HostAndPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Calls of an emulator that has just started on a busy machine. */
class EmulatorTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  private static final String ERROR = "HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n";
  private static final String REFUSED = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}";
  private static final String HANGS_UP = "";

  @Test
  void callThatIsHungUpOnOrFails_isRepeated() throws Exception {
    Queue<String> answers = new ConcurrentLinkedQueue<>(List.of(HANGS_UP, ERROR, OK));
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      load(server, answers);
    }

    assertThat(answers).isEmpty();
  }

  @Test
  void answerOfAnotherStatus_isNot() throws Exception {
    Queue<String> answers = new ConcurrentLinkedQueue<>(List.of(REFUSED, OK));
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> load(server, answers)).hasMessageContaining("found 404");
    }

    assertThat(answers).containsExactly(OK);
  }

  private static void load(ServerSocket server, Queue<String> answers) {
    Thread thread = new Thread(() -> serve(server, answers));
    thread.setDaemon(true);
    thread.start();
    var address = HostAndPort.fromParts("127.0.0.1", server.getLocalPort());
    Emulator.attached(address).loadRules("demo-p", "(default)", "rules");
  }

  /** The first connection is that of {@link Emulator#attached}, which only looks. */
  private static void serve(ServerSocket server, Queue<String> answers) {
    try {
      server.accept().close();
      while (!answers.isEmpty()) {
        try (Socket socket = server.accept()) {
          read(socket);
          socket.getOutputStream().write(answers.remove().getBytes(UTF_8));
        }
      }
    } catch (IOException ended) {
      // The test has closed the server.
    }
  }

  /** Reads a request with its body, so that a close is no reset. */
  private static void read(Socket socket) throws IOException {
    var in = socket.getInputStream();
    StringBuilder request = new StringBuilder();
    while (!request.toString().endsWith("}}")) {
      int next = in.read();
      if (next < 0) {
        return;
      }
      request.append((char) next);
    }
  }
}
