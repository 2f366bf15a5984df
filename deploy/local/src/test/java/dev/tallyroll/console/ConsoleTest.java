package dev.tallyroll.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.console.Console;
import dev.tallyroll.local.console.Controls;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleTest {
  private final List<String> asked = new ArrayList<>();
  private final Controls controls =
      (Controls)
          Proxy.newProxyInstance(
              Controls.class.getClassLoader(), new Class<?>[] {Controls.class}, this::ask);
  private final Console console = Console.start(0, controls);
  private final String host = "127.0.0.1:" + console.address().getPort();

  @AfterEach
  void close() {
    console.close();
  }

  @Test
  void page_mayRunOnlyItsOwnFilesAndAskOnlyTheEmulator() throws Exception {
    String answer = get("/", host);

    assertThat(answer)
        .startsWith("HTTP/1.1 200")
        .contains("default-src 'none'; script-src 'self'; style-src 'self';")
        .contains("connect-src 'self' http://127.0.0.1:8080;")
        .contains("<title>Tallyroll console</title>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"firebase-app.js", "firebase-firestore.js"})
  void sdk_comesFromHere(String module) throws Exception {
    assertThat(get("/sdk/" + module, host))
        .startsWith("HTTP/1.1 200")
        .doesNotContain("from 'https:")
        .contains("SDK_VERSION");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/state", "/sdk/firebase-app.js"})
  void nameThatLeadsHere_isRefused(String path) throws Exception {
    String rebound = "elsewhere:" + console.address().getPort();

    assertThat(get(path, rebound)).startsWith("HTTP/1.1 403").contains("expected 127.0.0.1:");
    assertThat(post(rebound, "Origin: http://" + rebound, "{'action':'sweep'}"))
        .startsWith("HTTP/1.1 403");
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://elsewhere",
        "Origin: http://127.0.0.1:1",
        "Origin: null",
        "X-Origin: none"
      })
  void controlFromElsewhere_isRefused(String origin) throws Exception {
    String answer = post(host, origin, "{'action':'sweep'}");

    assertThat(answer).startsWith("HTTP/1.1 403").contains("Origin: expected http://" + host);
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'action':'traffic','perSecond':2.5}                 | setTraffic [2.5]
          {'action':'fault','fault':'LATE','happens':true}     | setFault [LATE, true]
          {'action':'kill-roller'}                             | killRoller []
          {'action':'sweep'}                                   | sweep []
          {'action':'poison','counter':'a','poisoned':false}   | poisonShard [a, false]
          {'action':'create','counter':'a','shards':3}         | createCounter [a, 3]
          """,
      quoteCharacter = '"')
  void control_isDone(String body, String call) throws Exception {
    assertThat(post(host, "Origin: http://" + host, body)).startsWith("HTTP/1.1 200");
    assertThat(asked).containsExactly(call);
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
          {'action':'fault','fault':'EARLY','happens':true} | fault: expected one of [LATE, DOUBLED, LOST]; found EARLY
          {'action':'create','counter':'a','shards':'many'} | many
          """,
      quoteCharacter = '"')
  void malformedControl_isRefusedWithItsReason(String body, String reason) throws Exception {
    assertThat(post(host, "Origin: http://" + host, body))
        .startsWith("HTTP/1.1 400")
        .contains(reason);
    assertThat(asked).isEmpty();
  }

  @Test
  void longControl_isRefused() throws Exception {
    assertThat(post(host, "Origin: http://" + host, " ".repeat(5_000) + "{'action':'sweep'}"))
        .startsWith("HTTP/1.1 413");
    assertThat(asked).isEmpty();
  }

  @Test
  void anythingElse_isNotFound() throws Exception {
    assertThat(get("/../pom.xml", host)).startsWith("HTTP/1.1 404");
    assertThat(get("/control", host)).startsWith("HTTP/1.1 404");
  }

  @Test
  void takenPort_isRefused() {
    int taken = console.address().getPort();

    assertThatThrownBy(() -> Console.start(taken, controls))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("expected port %d of 127.0.0.1 to be free", taken);
  }

  private String get(String path, String hostNamed) throws Exception {
    return send("GET " + path, hostNamed, "Accept: */*", "");
  }

  private String post(String hostNamed, String header, String body) throws Exception {
    return send("POST /control", hostNamed, header, body.replace('\'', '"'));
  }

  /** By hand: no client would name another host than the one it talks to. */
  private String send(String request, String hostNamed, String header, String body)
      throws Exception {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), console.address().getPort())) {
      String head =
          "%s HTTP/1.1\r\nHost: %s\r\n%s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(request, hostNamed, header, body.length());
      socket.getOutputStream().write((head + body).getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  /** Answers for the controls, and remembers what they were asked to do. */
  private @Nullable Object ask(Object proxy, Method method, Object @Nullable [] arguments) {
    if (method.getName().equals("emulator")) {
      return "127.0.0.1:8080";
    }
    asked.add(method.getName() + " " + (arguments == null ? "[]" : Arrays.toString(arguments)));
    return null;
  }
}
