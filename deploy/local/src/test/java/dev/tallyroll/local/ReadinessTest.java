package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;

final class ReadinessTest {
  private final Readiness readiness = new Readiness(Loopback.client());
  private final URI nobody = Loopback.uri(Ports.free(1).get(0), "/");

  @Test
  void anyAnswer_isReady() {
    try (var child = TestProgram.start("hello", line -> {});
        var server = TestServer.answering(404)) {
      assertThatCode(() -> readiness.await(child, "it", server.uri("/")))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void childThatEnds_isNotWaitedFor() {
    try (var child = TestProgram.start("fail", line -> {})) {
      assertThatThrownBy(() -> readiness.await(child, "it", nobody))
          .isInstanceOf(LocalCloudException.class)
          .hasMessageContaining("ended with exit code 1")
          .hasMessageContaining("the reason is here");
    }
  }

  @Test
  void portThatIsTaken_isToldApart() {
    try (var child = TestProgram.start("taken", line -> {})) {
      assertThatThrownBy(() -> readiness.await(child, "it", nobody))
          .isInstanceOf(PortTakenException.class)
          .hasMessageContaining("another program took the port of it");
    }
  }
}
