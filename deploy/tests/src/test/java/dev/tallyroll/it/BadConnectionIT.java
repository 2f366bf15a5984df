package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.GoogleClients;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.store.FirestoreStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The functions' access to Firestore over a network that fails. */
@On(Site.SHARED)
@Order(2) // It takes long.
final class BadConnectionIT {
  private static final Duration LIMIT_OF_A_CALL = Duration.ofSeconds(10);

  private final Entry entry = TestCloud.quick(TestCloud.unwatchedLayout());
  private final CounterId likes = entry.counter(CounterPath.of("likes"));
  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final Connection connection;
  private final Firestore firestore;
  private final FirestoreStore store;

  BadConnectionIT(LocalCloud cloud) throws Exception {
    connection = new Connection(cloud.firestoreHost());
    var environment =
        Map.of(
            "TALLYROLL_FIRESTORE", connection.address(), "GOOGLE_CLOUD_PROJECT", cloud.project());
    firestore = GoogleClients.firestore(cloud.database(), /* connections= */ 1, environment::get);
    store =
        FirestoreStore.of(
            firestore,
            List.of(entry),
            TestCloud.newDeployment(),
            new Calls(loop, /* most= */ 100),
            (severity, message, fields) -> {});
  }

  /** Makes a client's first calls, which take long, before a test begins. */
  @BeforeEach
  void connect() {
    await("a first answer").until(this::answers);
  }

  @AfterEach
  void close() throws Exception {
    firestore.shutdownNow();
    loop.close();
    connection.close();
  }

  @Test
  void cutConnection_isMadeAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      connection.cut();

      await("an answer").until(this::answers);
    }
  }

  /** The client gives up a call after ten seconds, and its connection after thirty and ten more. */
  @Test
  void connectionThatSwallowsAll_isGivenUpInTimeAndReplaced() throws Exception {
    connection.swallow();
    long start = System.nanoTime();

    assertThatThrownBy(() -> get(store.counters().rollups().read(likes)))
        .hasStackTraceContaining("DEADLINE_EXCEEDED");

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(LIMIT_OF_A_CALL.minusSeconds(1));
    await("an answer by another connection").until(this::answers);
  }

  private boolean answers() throws Exception {
    return succeeds(store.counters().rollups().read(likes));
  }

  /** Whether the call succeeds. Its error depends on the moment of the cut. */
  private static boolean succeeds(CompletableFuture<?> call) throws InterruptedException {
    try {
      get(call);
      return true;
    } catch (ExecutionException | TimeoutException failure) {
      return false;
    }
  }

  /** A way to a server on this machine. A test can cut or silence it. */
  private static final class Connection implements AutoCloseable {
    private static final int BUFFER = 16_384;

    private final ServerSocket door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> swallowing = ConcurrentHashMap.newKeySet();

    Connection(String host) throws IOException {
      port = Integer.parseInt(host.substring(host.lastIndexOf(':') + 1));
      threads.execute(this::accept);
    }

    String address() {
      return "127.0.0.1:" + door.getLocalPort();
    }

    /** Ends all present connections; new ones can be made. */
    void cut() {
      open.forEach(Connection::end);
      open.clear();
    }

    /** Lets nothing more through the present connections; new ones work. */
    void swallow() {
      swallowing.addAll(open);
    }

    private void accept() {
      try {
        while (true) {
          var client = door.accept();
          var server = new Socket(InetAddress.getLoopbackAddress(), port);
          open.addAll(List.of(client, server));
          threads.execute(() -> pump(client, server));
          threads.execute(() -> pump(server, client));
        }
      } catch (IOException closed) {
        cut();
      }
    }

    private void pump(Socket from, Socket to) {
      var buffer = new byte[BUFFER];
      try {
        var in = from.getInputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (!swallowing.contains(from)) {
            to.getOutputStream().write(buffer, 0, read);
          }
        }
      } catch (IOException ended) {
        // The other end must close too.
      }
      end(from);
      end(to);
    }

    private static void end(Socket socket) {
      try {
        socket.close();
      } catch (IOException alreadyEnded) {
        // It is closed already.
      }
    }

    @Override
    public void close() throws IOException {
      door.close();
      cut();
      threads.shutdownNow();
    }
  }
}
