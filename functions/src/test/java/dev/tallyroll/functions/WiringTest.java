package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WiringTest {
  private final List<Severity> logged = Collections.synchronizedList(new ArrayList<>());

  private Wiring of(Map<String, String> environment) {
    return Wiring.of(
        Role.ON_SHARD_WRITTEN,
        (severity, message, fields) -> logged.add(severity),
        environment::get);
  }

  /** The database takes connections and never answers, which is worse than a refusal. */
  @Test
  void databaseThatIsSilent_isReportedAndDoesNotKeepTheFunctionFromStarting() throws Exception {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + silent.getLocalPort();

      Wiring wiring = of(Map.of("TALLYROLL_FIRESTORE", address, "GOOGLE_CLOUD_PROJECT", "demo-x"));

      ((ThreadEventLoop) wiring.instance().loop()).close();
      assertThat(logged).containsExactly(Severity.WARNING);
    }
  }

  @Test
  void malformedSetting_keepsTheFunctionFromStarting() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(Map.of("WORKERS", "all")))
        .withMessageContaining("WORKERS");
    assertThat(logged).isEmpty();
  }
}
