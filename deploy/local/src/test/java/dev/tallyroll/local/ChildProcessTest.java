package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.ChildProcess.PortTakenException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class ChildProcessTest {
  private final HttpClient http = Loopback.client();
  private final URI nobody = Loopback.uri(Loopback.freePorts(1).get(0), "/");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  @Test
  void output_comesLineByLine() throws Exception {
    try (var child = start("hello")) {
      await("it printed").until(() -> lines.contains("hello"));

      assertThat(child.isAlive()).isTrue();
    }
  }

  @Test
  void environment_holdsNothingOfTheLaunchers() throws Exception {
    try (var child = start("environment")) {
      await("it printed").until(() -> printed("GIVEN=yes"));

      assertThat(System.getenv()).containsKey("PATH");
      assertThat(child.lastLines()).noneMatch(line -> line.contains("PATH="));
    }
  }

  @Test
  void close_letsShutdownHooksRun() throws Exception {
    var child = start("hook");
    await("it is ready").until(() -> lines.contains("hook"));

    child.close();

    assertThat(child.isAlive()).isFalse();
    assertThat(lines).contains("closing");
  }

  @Test
  void kill_runsNoShutdownHook() throws Exception {
    var child = start("hook");
    await("it is ready").until(() -> lines.contains("hook"));

    child.kill();

    assertThat(child.isAlive()).isFalse();
    assertThat(lines).doesNotContain("closing");
  }

  @Test
  void interrupt_isTheLaunchersAffair() throws Exception {
    try (var child = start("hook")) {
      await("it is ready").until(() -> lines.contains("hook"));

      new ProcessBuilder("kill", "-INT", String.valueOf(child.pid())).start().waitFor();
      new ProcessBuilder("kill", "-QUIT", String.valueOf(child.pid())).start().waitFor();

      // A thread dump is what a JVM that lives on answers to the other signal.
      await("it lives on").until(() -> printed("Full thread dump"));
      assertThat(lines).doesNotContain("closing");
    }
  }

  @Test
  void anyAnswer_isReady() {
    var server = Loopback.serve(exchange -> exchange.sendResponseHeaders(404, -1));
    try (var child = start("hello")) {
      assertThatCode(
              () -> child.awaitAnswer(http, Loopback.uri(server.getAddress().getPort(), "/")))
          .doesNotThrowAnyException();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void childThatEnds_isQuotedAndNotWaitedFor() {
    try (var child = start("fail")) {
      assertThatThrownBy(() -> child.awaitAnswer(http, nobody))
          .isInstanceOf(LocalCloudException.class)
          .hasMessageContaining("the test program ended with exit code 1")
          .hasMessageContaining("the reason is here");
    }
  }

  @Test
  void portThatIsTaken_isToldApart() {
    try (var child = start("taken")) {
      assertThatThrownBy(() -> child.awaitAnswer(http, nobody))
          .isInstanceOf(PortTakenException.class)
          .hasMessageContaining("another program took the port of the test program");
    }
  }

  @Test
  void lastLines_areBounded() {
    try (var child = start("flood")) {
      await("it printed").until(() -> lines.contains("flood"));

      assertThat(child.lastLines()).hasSize(ChildProcess.LINES_KEPT).last().isEqualTo("flood");
    }
  }

  private boolean printed(String text) {
    return lines.stream().anyMatch(line -> line.contains(text));
  }

  private ChildProcess start(String what) {
    return TestProgram.start(what, lines::add);
  }
}
