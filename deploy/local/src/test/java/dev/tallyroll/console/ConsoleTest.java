package dev.tallyroll.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.Operations;
import dev.tallyroll.local.console.Console;
import dev.tallyroll.local.console.Controls;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleTest {
  private final Asked asked = new Asked();
  private final Console console = Console.start(0, asked);
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
  }

  @Test
  void controlUnderAnotherName_isRefused() throws Exception {
    String rebound = "elsewhere:" + console.address().getPort();

    assertThat(post(rebound, "Origin: http://" + rebound, "{'action':'sweep'}"))
        .startsWith("HTTP/1.1 403");
    assertThat(asked.calls).isEmpty();
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
    assertThat(asked.calls).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'action':'traffic','perSecond':2.5}                 | traffic 2.5
          {'action':'fault','fault':'LATE','happens':true}     | LATE true
          {'action':'kill-roller'}                             | kill
          {'action':'sweep'}                                   | sweep
          {'action':'poison','counter':'a','poisoned':false}   | poison a false
          {'action':'create','counter':'a','shards':3}         | create a 3
          """,
      quoteCharacter = '"')
  void control_isDone(String body, String call) throws Exception {
    assertThat(post(host, "Origin: http://" + host, body)).startsWith("HTTP/1.1 200");
    assertThat(asked.calls).containsExactly(call);
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
    assertThat(asked.calls).isEmpty();
  }

  @Test
  void longControl_isRefused() throws Exception {
    assertThat(post(host, "Origin: http://" + host, " ".repeat(5_000) + "{'action':'sweep'}"))
        .startsWith("HTTP/1.1 413");
    assertThat(asked.calls).isEmpty();
  }

  @Test
  void anythingElse_isNotFound() throws Exception {
    assertThat(get("/../pom.xml", host)).startsWith("HTTP/1.1 404");
    assertThat(get("/control", host)).startsWith("HTTP/1.1 404");
  }

  @Test
  void takenPort_isRefused() {
    int taken = console.address().getPort();

    assertThatThrownBy(() -> Console.start(taken, asked))
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

  /** Remembers what it was asked to do. */
  private static final class Asked implements Controls {
    final List<String> calls = new ArrayList<>();

    @Override
    public String emulator() {
      return "127.0.0.1:8080";
    }

    @Override
    public State state() {
      return new State(
          "demo",
          emulator(),
          new Names("counters", "shards", "rollups", "count"),
          List.of(),
          false,
          List.of(),
          Operations.NONE,
          0,
          Set.of(),
          true);
    }

    @Override
    public void setTraffic(double perSecond) {
      calls.add("traffic " + perSecond);
    }

    @Override
    public void setFault(EventFault fault, boolean happens) {
      calls.add(fault + " " + happens);
    }

    @Override
    public void killRoller() {
      calls.add("kill");
    }

    @Override
    public void sweep() {
      calls.add("sweep");
    }

    @Override
    public void poisonShard(String counter, boolean poisoned) {
      calls.add("poison %s %s".formatted(counter, poisoned));
    }

    @Override
    public void createCounter(String id, int shards) {
      calls.add("create %s %d".formatted(id, shards));
    }
  }
}
