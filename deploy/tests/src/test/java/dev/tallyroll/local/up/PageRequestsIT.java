package dev.tallyroll.local.up;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.up.Controls.Rights;
import dev.tallyroll.local.up.Controls.Step;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers to requests, and the refusals. {@link PageIT} tests each control. */
@On(Site.SHARED)
@Execution(ExecutionMode.SAME_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PageRequestsIT {
  private static final Served SETTINGS = Served.by(Map.of());
  private static final String CONTROL = "{'action':'traffic','perSecond':2.5}";

  private final LocalCloud cloud;
  private final Traffic traffic = Traffic.even(List.of(), 0);
  private final Controls controls;
  private final PageServer server;
  private final int port;
  private final String host;

  PageRequestsIT(LocalCloud cloud) {
    this.cloud = cloud;
    controls = new Controls(cloud, SETTINGS, traffic, new Rights("plain", Step.ONE));
    server = new PageServer(0, controls);
    port = server.address().getPort();
    host = "127.0.0.1:" + port;
  }

  @BeforeEach
  void stopTraffic() {
    traffic.turn(0);
  }

  @AfterAll
  void close() {
    server.close();
    controls.close();
    traffic.close();
  }

  @Test
  void page_mayRunOnlyItsOwnFilesAndAskOnlyTheEmulator() throws Exception {
    assertThat(get("/", host))
        .startsWith("HTTP/1.1 200")
        .contains("default-src 'none'; script-src 'self'; style-src 'self';")
        .contains("connect-src 'self' http://" + cloud.firestoreHost() + ";")
        .contains("<title>Tallyroll</title>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"firebase-app.js", "firebase-firestore.js", "firebase-firestore-lite.js"})
  void sdk_comesFromHere(String module) throws Exception {
    assertThat(get("/sdk/" + module, host))
        .startsWith("HTTP/1.1 200")
        .doesNotContain("from 'https:")
        .contains("SDK_VERSION");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/state", "/sdk/firebase-app.js"})
  void nameThatLeadsHere_isRefused(String path) throws Exception {
    assertThat(get(path, "elsewhere:" + port))
        .startsWith("HTTP/1.1 403")
        .contains("expected 127.0.0.1:");
  }

  @ParameterizedTest
  @CsvSource({
    "elsewhere:PORT, Origin: http://elsewhere:PORT, Host: expected 127.0.0.1:PORT",
    "127.0.0.1:PORT, Origin: http://elsewhere, Origin: expected http://127.0.0.1:PORT",
    "127.0.0.1:PORT, Origin: http://127.0.0.1:1, Origin: expected http://127.0.0.1:PORT",
    "127.0.0.1:PORT, Origin: null, Origin: expected http://127.0.0.1:PORT",
    "127.0.0.1:PORT, X-Origin: none, Origin: expected http://127.0.0.1:PORT",
  })
  void controlFromElsewhere_isRefused(String hostNamed, String origin, String reason)
      throws Exception {
    assertThat(post(here(hostNamed), here(origin), CONTROL))
        .startsWith("HTTP/1.1 403")
        .contains(here(reason));
    assertThat(traffic.perSecond()).isZero();
  }

  private String here(String text) {
    return text.replace("PORT", Integer.toString(port));
  }

  @Test
  void control_isDone() throws Exception {
    assertThat(post(host, "Origin: http://" + host, CONTROL)).startsWith("HTTP/1.1 200");
    assertThat(traffic.perSecond()).isEqualTo(2.5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          []                                                | expected a JSON object; found []
          {                                                 | EOF
          {}                                                | action: expected a value; found null
          {'action':'rm'}                                   | action: expected traffic, fault
          {'action':'traffic','perSecond':{}}               | perSecond: expected a value; found {}
          {'action':'traffic','perSecond':1001}             | traffic: expected 0 to 1000 changes
          {'action':'fault','fault':'EARLY','happens':true} | fault: expected one of [LATE, DOUBLED, LOST]; found EARLY
          {'action':'create','counter':'a','shards':'many'} | many
          """,
      quoteCharacter = '"')
  void malformedControl_isRefusedWithItsReason(String body, String reason) throws Exception {
    assertThat(post(host, "Origin: http://" + host, body))
        .startsWith("HTTP/1.1 400")
        .contains(reason);
    assertThat(traffic.perSecond()).isZero();
  }

  @Test
  void longControl_isRefused() throws Exception {
    assertThat(post(host, "Origin: http://" + host, " ".repeat(5_000) + CONTROL))
        .startsWith("HTTP/1.1 413");
    assertThat(traffic.perSecond()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/../pom.xml", "/control"})
  void anythingElse_isNotFound(String path) throws Exception {
    assertThat(get(path, host)).startsWith("HTTP/1.1 404");
  }

  @Test
  void takenPort_isRefused() {
    assertThatThrownBy(() -> new PageServer(port, controls))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("expected port %d of 127.0.0.1 to be free", port);
  }

  private String get(String path, String hostNamed) throws Exception {
    return send("GET " + path, hostNamed, "Accept: */*", "");
  }

  private String post(String hostNamed, String header, String body) throws Exception {
    return send("POST /control", hostNamed, header, body.replace('\'', '"'));
  }

  /** Writes the request itself, because no client would name another host than its server's. */
  private String send(String request, String hostNamed, String header, String body)
      throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String head =
          "%s HTTP/1.1\r\nHost: %s\r\n%s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(request, hostNamed, header, body.length());
      socket.getOutputStream().write((head + body).getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
