package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tallyroll.local.ChildProcess.PortTakenException;
import dev.tallyroll.local.ChildProcess.Program;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ChildProcessTest {
  private final HttpClient http = Loopback.client();
  private final URI nobody = Loopback.uri(Loopback.freePorts(1).get(0), "/");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  @Test
  void environment_holdsNothingOfTheLaunchers() throws Exception {
    try (var child = start("environment")) {
      await("it printed").atMost(Duration.ofMinutes(2)).until(() -> printed("GIVEN=yes"));

      assertThat(System.getenv()).containsKey("PATH");
      assertThat(child.lastLines()).noneMatch(line -> line.contains("PATH="));
    }
  }

  @Test
  void close_letsShutdownHooksRun() throws Exception {
    var child = startWithHook();

    child.close();

    assertThat(child.isAlive()).isFalse();
    assertThat(lines).containsExactly("hook", "closing");
  }

  @Test
  void kill_runsNoShutdownHook() throws Exception {
    var child = startWithHook();

    child.kill();

    assertThat(child.isAlive()).isFalse();
    assertThat(lines).containsExactly("hook");
  }

  @Test
  void interrupt_isTheLaunchersAffair() throws Exception {
    try (var child = startWithHook()) {
      new ProcessBuilder("kill", "-INT", String.valueOf(child.pid())).start().waitFor();
      new ProcessBuilder("kill", "-QUIT", String.valueOf(child.pid())).start().waitFor();

      // A JVM that still runs answers the second signal with a thread dump.
      await("it lives on").atMost(Duration.ofMinutes(2)).until(() -> printed("Full thread dump"));
      assertThat(lines).doesNotContain("closing");
    }
  }

  @Test
  void anyAnswer_isReady() {
    var server = Loopback.serve(exchange -> exchange.sendResponseHeaders(404, -1));
    try (var child = start("hello")) {
      var address = Loopback.uri(server.getAddress().getPort(), "/");
      assertThatCode(() -> child.awaitAnswer(http, address)).doesNotThrowAnyException();
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
      await("it printed").atMost(Duration.ofMinutes(2)).until(() -> lines.contains("flood"));

      assertThat(child.lastLines()).hasSize(ChildProcess.LINES_KEPT).last().isEqualTo("flood");
    }
  }

  private boolean printed(String text) {
    return lines.stream().anyMatch(line -> line.contains(text));
  }

  private ChildProcess startWithHook() throws Exception {
    var child = start("hook");
    await("it is ready").atMost(Duration.ofMinutes(2)).until(() -> lines.contains("hook"));
    return child;
  }

  private ChildProcess start(String what) {
    var environment = ChildProcess.inherited(System.getenv());
    environment.keySet().removeAll(Set.of("PATH", "HOME", "JAVA_HOME")); // but for the locale
    environment.put("GIVEN", "yes");
    return ChildProcess.start(
        "the test program",
        new Program(ChildProcess.homeOf(TestProgram.class).toString(), TestProgram.class.getName()),
        List.of(what),
        environment,
        lines::add);
  }

  /** Does its argument's task, then runs until it is ended. */
  static final class TestProgram {
    private TestProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
      switch (arguments[0]) {
        case "fail" -> throw new IllegalStateException("the reason is here");
        case "taken" -> throw new IllegalStateException("Address already in use");
        case "flood" -> IntStream.range(0, 1_000).forEach(System.out::println);
        case "environment" -> System.out.println(System.getenv());
        case "hook" ->
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("closing")));
        default -> {}
      }
      System.out.println(arguments[0]);
      new CountDownLatch(1).await();
    }
  }
}
